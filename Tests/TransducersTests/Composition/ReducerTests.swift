import Testing
import Transducers

@Suite("Reducer")
struct ReducerTests {
    /// A set of types, of which reducers make machines.
    enum Sum: BaseTransducer {
        struct State: NonTerminal, Equatable { var numbers: [Int] = [] }
        typealias Event = Int
        typealias Output = String
        typealias Effect = TransducerEffect<Self>
        typealias Env = Void
    }
    struct Oops: Error {}

    /// Appends the event times `factor`.
    static func times(_ factor: Int) -> Reducer<Sum> {
        Reducer { state, event in
            state.numbers.append(event * factor)
            return .event(event * factor)
        }
    }

    /// Appends the sum of what the ones before have left.
    static let total = Reducer<Sum>.withOutput { state, event in
        let sum = state.numbers.reduce(0, +)
        state.numbers.append(sum)
        return (.event(-sum), event == 0 ? nil : "sum \(sum)")
    }

    @Test func `empty does nothing`() async throws {
        var state = Sum.State(numbers: [1])
        let (effect, outputs) = try Reducer<Sum>.empty(&state, 7)
        #expect(state == Sum.State(numbers: [1]))
        #expect(try await Self.events(effect) == [])
        #expect(outputs == [])
    }

    @Test func `in a combine each sees the state left by the one before`() throws {
        var state = Sum.State()
        let reducer = Reducer.combine(Self.times(1), Self.times(10), Self.total)
        let (_, outputs) = try reducer(&state, 2)
        #expect(state.numbers == [2, 20, 22])
        #expect(outputs == ["sum 22"])
    }

    @Test func `effects and outputs of a combine come in its order`() async throws {
        var state = Sum.State()
        let reducer = Self.total + Self.times(3) + Self.total
        let (effect, outputs) = try reducer(&state, 2)
        #expect(try await Self.events(effect) == [0, 6, -6])
        #expect(outputs == ["sum 0", "sum 6"])
    }

    @Test func `an output may be missing`() throws {
        var state = Sum.State()
        #expect(try (Self.total + Self.total)(&state, 0).outputs == [])
    }

    @Test func `combining is associative, and empty changes nothing`() async throws {
        let (a, b, c) = (Self.times(2), Self.total, Self.times(5))
        let forms = [
            (a + b) + c, a + (b + c), .combine(a, b, c), .combine([.empty, a, .empty, b + c]),
        ]
        for reducer in forms {
            var state = Sum.State()
            let (effect, outputs) = try reducer(&state, 3)
            #expect(state.numbers == [6, 6, 15])
            #expect(try await Self.events(effect) == [6, -6, 15])
            #expect(outputs == ["sum 6"])
        }
        var state = Sum.State()
        #expect(try await Self.events(Reducer<Sum>.combine([])(&state, 1).effect) == [])
    }

    @Test func `if one throws, those after it don't run`() {
        var state = Sum.State()
        let broken = Reducer<Sum> { _, _ in throw Oops() }
        #expect(throws: Oops.self) { try (Self.times(1) + broken + Self.times(2))(&state, 1) }
        #expect(state.numbers == [1])
    }

    @Test func `a machine is a reducer, with its output`() throws {
        enum Plus: Transducer {
            struct State: NonTerminal { var count = 0 }
            typealias Event = Int
            static func update(_ state: inout State, event: Int) -> Int {
                state.count += event
                return state.count
            }
        }
        var state = Plus.State(count: 1)
        let reducer = Reducer(Plus.self)
        #expect(try (reducer + reducer)(&state, 2).outputs == [3, 5])
        #expect(state.count == 5)
    }

    @Test func `the first reducer with an event for a failure gives it`() {
        let failure = EffectFailure(id: EffectKey("job"), error: Oops())
        let first = Self.times(1).onEffectFailure { $0.id == EffectKey("other") ? 1 : nil }
        let second = Self.times(1).onEffectFailure { $0.id == EffectKey("job") ? 2 : nil }
        let third = Self.times(1).onEffectFailure { _ in 3 }
        #expect((first + second + third).effectFailed(failure) == 2)
        #expect((first + Self.times(1)).effectFailed(failure) == nil)
        #expect(second.onEffectFailure { _ in nil }.effectFailed(failure) == 2)
        #expect(third.onEffectFailure { _ in 4 }.effectFailed(failure) == 4)
    }

    /// Notes the immediate events that an effect is made of.
    enum Probe: EffectTransducer {
        struct State: Terminable {
            var seen: [Int] = []
            var isDone = false
            var isTerminal: Bool { isDone }
        }
        enum Event: Sendable { case begin(TransducerEffect<Sum>), seen(Int), end }
        typealias Output = [Int]

        static func update(_ state: inout State, event: Event) -> (Effect?, [Int]) {
            switch event {
            case .begin(let effect):
                return (effect.embedded(event: { .seen($0) }, env: { _ in () }), [])
            case .seen(let number): state.seen.append(number)
            case .end: state.isDone = true
            }
            return (nil, state.seen)
        }
    }

    static func events(_ effect: TransducerEffect<Sum>) async throws -> [Int] {
        let proxy = Probe.Proxy(initialEvent: .begin(effect))
        try proxy.send(.end)
        return try await Probe.run(initialState: .init(), proxy: proxy)
    }
}
