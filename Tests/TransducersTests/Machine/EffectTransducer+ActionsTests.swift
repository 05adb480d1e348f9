import Testing
import Transducers

/// Actions in the forms that belong to the machine, as in Oak.
@Suite("Actions of a machine", .timeLimit(.minutes(1)))
struct EffectTransducerActionsTests {
    enum Adder: EffectTransducer {
        struct State: Terminable {
            var sum = 0
            var isTerminal = false
        }
        enum Event: Sendable { case one, several, isolatedOne, isolatedSeveral, add(Int), end }
        typealias Env = Int

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .one: return action { env in .add(env) }
            case .several: return action { env in [.add(env), .add(env)] }
            case .isolatedOne: return action(isolatedAction: { env, _ in .add(env) })
            case .isolatedSeveral:
                return action(isolatedAction: { env, _ in [.add(env), .end] })
            case .add(let number): state.sum += number
            case .end: state.isTerminal = true
            }
            return nil
        }
    }

    @MainActor final class Owner { var state = Adder.State() }

    @MainActor
    @Test func `all four are awaited in the step`() async throws {
        let owner = Owner()
        let proxy = Adder.Proxy()
        for event in [Adder.Event.one, .several, .isolatedOne, .isolatedSeveral] {
            try proxy.send(event)
        }
        try await Adder.run(
            storage: UnownedReferenceKeyPathStorage(host: owner, keyPath: \Owner.state),
            proxy: proxy, env: 10)
        #expect(owner.state.sum == 50)
    }

    @MainActor
    @Test func `a run needs no proxy where nobody sends`() async throws {
        let owner = Owner()
        owner.state.isTerminal = true
        let storage = UnownedReferenceKeyPathStorage(host: owner, keyPath: \Owner.state)
        try await Adder.run(storage: storage, env: 10)
        try await Adder.run(storage: storage, env: 10, output: Callback { _ in })
    }

    @Test func `compute is one update, without effects`() throws {
        var state = Adder.State()
        let (effect, ()) = try Adder.compute(&state, event: .add(3))
        #expect(state.sum == 3)
        #expect(effect == nil)
        let (action, ()) = try Adder.compute(&state, event: .one)
        #expect(state.sum == 3)
        #expect(action != nil)
        var tally = Tally.State.counting(1)
        #expect(try Tally.compute(&tally, event: .increment).1 == 2)
    }
}
