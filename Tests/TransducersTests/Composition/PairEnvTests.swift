import Testing
import Transducers

@Suite("PairEnv")
struct PairEnvTests {
    /// Tells what its environment says.
    enum Asker: EffectTransducer {
        struct State: Terminable {
            var answer: String?
            var isTerminal: Bool { answer != nil }
        }
        enum Event: Sendable { case ask, answered(String) }
        typealias Output = String
        typealias Env = String

        static func update(_ state: inout State, event: Event) -> (Effect?, String) {
            switch event {
            case .ask: return (Effect(action: { env in .answered(env) }), "?")
            case .answered(let answer):
                state.answer = answer
                return (nil, answer)
            }
        }
    }

    typealias Two = Parallel<Asker, Asker, EndsWithAll>

    enum Shared: ParallelTransducer, SharesEnvironment {
        typealias First = Asker
        typealias Second = Asker
        typealias Rule = EndsWithAll
    }

    enum Mixed: ParallelTransducer {
        typealias First = Asker
        typealias Second = Parts.Count
        typealias Rule = EndsWithFirst
        typealias Env = String
        static func firstEnv(_ env: String) -> String { env }
    }

    enum Projected: ParallelTransducer {
        typealias First = Asker
        typealias Second = Parts.Count
        typealias Rule = EndsWithFirst
        typealias Env = Int
        static func firstEnv(_ env: Int) -> String { "number \(env)" }
    }

    enum Pure: ParallelTransducer, InitialState {
        typealias First = Parts.Count
        typealias Second = Parts.Count
        typealias Rule = EndsWithAny
        typealias Env = Void
    }

    @Test func `each side's effects are given that side's environment`() async throws {
        let proxy = Two.Proxy()
        try proxy.send(.first(.ask))
        try proxy.send(.second(.ask))
        let storage = Parts.Kept(Two.State(first: .init(), second: .init()))
        _ = try await Two.run(
            storage: storage, proxy: proxy, env: PairEnv(first: "one", second: "two"))
        #expect(storage.value.first.answer == "one")
        #expect(storage.value.second.answer == "two")
    }

    @Test func `both sides may share an environment`() async throws {
        let proxy = Shared.Proxy()
        try proxy.send(.first(.ask))
        try proxy.send(.second(.ask))
        let result = try await Shared.run(
            initialState: .init(first: .init(), second: .init()), proxy: proxy, env: "shared")
        #expect(result == .second("shared"))
    }

    @Test func `a side without an environment needs none`() async throws {
        let result = try await Mixed.run(
            initialState: .init(first: .init(), second: .init()),
            proxy: Mixed.Proxy(initialEvent: .first(.ask)), env: "mixed")
        #expect(result == .first("mixed"))
    }

    @Test func `an environment of another shape is taken apart by the pair`() async throws {
        let result = try await Projected.run(
            initialState: .init(first: .init(), second: .init()),
            proxy: Projected.Proxy(initialEvent: .first(.ask)), env: 7)
        #expect(result == .first("number 7"))
    }

    @Test func `pairs without environments run without one`() async throws {
        typealias Plain = Parallel<Parts.Count, Parts.Count, EndsWithAny>
        let end = Plain.Event.first(.add(3))
        let outputs = Parts.Outputs<Plain.Output>()
        let plain = try await Plain.run(
            initialState: Plain.initialState, proxy: Plain.Proxy(initialEvent: end),
            output: Callback { await outputs.append($0) })
        #expect(plain == .first(3))
        #expect(await outputs.values == [.first(3)])
        let pure = try await Pure.run(
            initialState: Pure.initialState, proxy: Pure.Proxy(initialEvent: end))
        #expect(pure == .first(3))
    }
}
