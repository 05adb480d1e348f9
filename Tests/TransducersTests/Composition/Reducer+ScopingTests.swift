import Testing
import Transducers

@Suite("Scoped reducers")
struct ReducerScopingTests {
    /// Counts, asks for effects, and ends at `end`.
    enum Part: EffectTransducer {
        struct State: Terminable, Equatable {
            var count = 0
            var isEnded = false
            var isTerminal: Bool { isEnded }
        }
        enum Event: Sendable, Equatable { case add(Int), begin, cancel, work, fail, end }
        typealias Output = Int
        typealias Env = Int
        struct Oops: Error {}

        static func update(_ state: inout State, event: Event) throws -> (Effect?, Int) {
            switch event {
            case .add(let number):
                guard number > 0 else { throw Rejection("counts up only") }
                state.count += number
                return (nil, state.count)
            case .begin:
                let effect = Effect(id: "job") { _, _ in
                    let (never, continuation) = AsyncStream<Never>.makeStream()
                    for await _ in never {}
                    continuation.finish()
                }
                return (effect, state.count)
            case .cancel: return (.cancel(id: "job"), state.count)
            case .work: return (Effect(action: { env in .add(env) }), state.count)
            case .fail:
                return (Effect(id: "job", operation: { _, _ in throw Oops() }), state.count)
            case .end:
                state.isEnded = true
                return (.event(.add(1_000)), state.count)
            }
        }

        static func effectFailed(_ failure: EffectFailure) -> Event? {
            failure.id == EffectKey("job") ? .add(100) : nil
        }
    }

    /// Two parts that are always there, one that may be there, one that is a case.
    enum Whole: ReducerTransducer {
        enum Screen: Equatable { case part(Part.State), blank }
        struct State: Terminable, Equatable {
            var left = Part.State()
            var right = Part.State()
            var guest: Part.State?
            var screen = Screen.blank
            var seen: [Int] = []
            var isTerminal: Bool { seen.count == 2 }
        }
        enum Event: Sendable, Equatable {
            case left(Part.Event), right(Part.Event), guest(Part.Event), screen(Part.Event), look
        }
        typealias Output = [String]
        struct Env: Sendable { var left = 1, right = 2 }

        static let reducer = Reducer.combine(
            Reducer<Part>(Part.self).scoped(
                to: Whole.self, state: .at(\.left), event: CasePath(Event.left),
                env: { $0.left }, scope: "left", output: { ["left \($0)"] }),
            Reducer(Part.self).scoped(
                to: Whole.self, state: .at(\.right),
                event: CasePath(
                    { .right($0) },
                    extract: { if case .right(let event) = $0 { event } else { nil } }),
                env: { $0.right }, scope: "right",
                output: { $0 > 0 ? ["right \($0)"] : nil }),
            Reducer(Part.self).scoped(
                to: Whole.self, state: .optional(\.guest), event: CasePath(Event.guest),
                env: { _ in 3 }),
            Reducer(Part.self).scoped(
                to: Whole.self, state: .at(\.screen, .case(Screen.part)),
                event: CasePath(Event.screen), env: { _ in 4 }, scope: "screen"),
            Reducer { state, event in
                if event == .look { state.seen.append(state.left.count + state.right.count) }
                return .empty
            })
    }

    static func step(
        _ state: inout Whole.State, _ event: Whole.Event
    ) throws -> [String] { try Whole.step(&state, event).1 }

    @Test func `scoped reducers change their own part`() throws {
        var state = Whole.State()
        #expect(try Self.step(&state, .left(.add(2))) == ["left 2"])
        #expect(try Self.step(&state, .right(.add(5))) == ["right 5"])
        _ = try Self.step(&state, .look)
        #expect(state == Whole.State(left: .init(count: 2), right: .init(count: 5), seen: [7]))
    }

    @Test func `a non-matching case does nothing`() throws {
        var state = Whole.State()
        #expect(try Self.step(&state, .guest(.add(1))) == [])
        #expect(try Self.step(&state, .screen(.add(1))) == [])
        #expect(state == Whole.State())
        state.guest = Part.State()
        state.screen = .part(Part.State())
        _ = try Self.step(&state, .guest(.add(1)))
        _ = try Self.step(&state, .screen(.add(2)))
        #expect(state.guest?.count == 1)
        #expect(state.screen == .part(Part.State(count: 2)))
    }

    @Test func `scoped reducers in a combine each see the state left by the one before`() throws {
        let add = Reducer(Part.self).scoped(
            to: Whole.self, state: .at(\.left), event: CasePath(Whole.Event.left),
            env: { $0.left })
        let copy = Reducer<Whole> { state, _ in
            state.right.count = state.left.count
            return .empty
        }
        let double = Reducer<Part> { state, event in
            state.count *= 2
            return .empty
        }.scoped(
            to: Whole.self, state: .at(\.right), event: CasePath(Whole.Event.left),
            env: { $0.left })
        var state = Whole.State()
        _ = try (add + copy + double)(&state, .left(.add(3)))
        #expect(state.left.count == 3)
        #expect(state.right.count == 6)
    }

    @Test func `what a part refuses, the whole refuses`() {
        var state = Whole.State()
        #expect(throws: Rejection("counts up only")) { try Self.step(&state, .left(.add(0))) }
    }

    @Test func `an event for a part that has ended is refused`() throws {
        var state = Whole.State(guest: Part.State())
        _ = try Self.step(&state, .left(.end))
        #expect(throws: Rejection("left has ended and takes no more events")) {
            try Self.step(&state, .left(.add(1)))
        }
        _ = try Self.step(&state, .guest(.end))
        #expect(
            throws: Rejection("the part that the event is for has ended and takes no more events")
        ) { try Self.step(&state, .guest(.add(1))) }
        #expect(try Self.step(&state, .right(.add(1))) == ["right 1"])
    }

    @Test func `each part's effects are given its part of the environment`() async throws {
        let storage = Kept(Whole.State())
        let proxy = Whole.Proxy()
        for event: Whole.Event in [.left(.work), .right(.work), .look, .look] {
            try proxy.send(event)
        }
        try await Whole.run(
            storage: storage, proxy: proxy, env: Whole.Env(left: 10, right: 20))
        #expect(storage.value.left.count == 10)
        #expect(storage.value.right.count == 20)
        #expect(storage.value.seen == [30, 30])
    }

    @Test func `ids of scopes don't meet, and a part's effects end with it`() async throws {
        let proxy = Whole.Proxy(bufferSize: 16)
        for event: Whole.Event in [
            .left(.begin), .right(.begin), .left(.cancel), .left(.begin), .right(.end), .look,
            .look,
        ] {
            try proxy.send(event)
        }
        var lines: [String] = []
        let storage = Kept(Whole.State())
        let options = RunOptions<Whole>(trace: { record in
            switch record {
            case .effectStarted(_, let key): lines.append("+ \(key)")
            case .effectCancelled(_, let key): lines.append("x \(key)")
            default: break
            }
        })
        try await Whole.run(
            storage: storage, proxy: proxy, env: Whole.Env(), options: options)
        #expect(
            lines == [
                "+ left/job", "+ right/job", "x left/job", "+ left/job", "x right/job",
                "x left/job",
            ])
        // The immediate event of the last step isn't processed.
        #expect(storage.value.right.count == 0)
    }

    @Test func `a failure goes to the part whose effect failed`() async throws {
        let proxy = Whole.Proxy(initialEvent: .right(.fail))
        let storage = Kept(Whole.State())
        try await Whole.run(
            storage: storage, proxy: proxy, env: Whole.Env(),
            output: Callback { output in
                guard output == ["right 100"] else { return }
                try proxy.send(.look)
                try proxy.send(.look)
            })
        #expect(storage.value.left.count == 0)
        #expect(storage.value.right.count == 100)
        let stranger = EffectFailure(id: EffectKey("stranger"), error: Part.Oops())
        #expect(Whole.effectFailed(stranger) == nil)
    }

    @Test func `a part without environment needs none`() throws {
        enum Plain: BaseTransducer {
            struct State: NonTerminal { var seen = 0 }
            typealias Event = Int
            typealias Output = Int
            typealias Effect = TransducerEffect<Self>
            typealias Env = Void
        }
        enum Big: BaseTransducer {
            struct State: NonTerminal { var plain = Plain.State() }
            typealias Event = Int
            typealias Output = String
            typealias Effect = TransducerEffect<Self>
            typealias Env = [String]
        }
        let plain = Reducer<Plain>.withOutput { _, event in (.empty, event) }
        let big = plain.scoped(
            to: Big.self, state: .at(\.plain), event: .whole, output: { "\($0)" })
        var state = Big.State()
        #expect(try big(&state, 7).outputs == ["7"])
        let mapped = plain.mapOutput { $0 > 0 ? -$0 : nil }
        var inner = Plain.State()
        #expect(try mapped(&inner, 7).outputs == [-7])
        #expect(try mapped(&inner, -7).outputs == [])
    }

    @Test func `ids can be mapped`() async throws {
        enum Named: ReducerTransducer {
            struct State: Terminable {
                var isTerminal = false
            }
            enum Event: Sendable { case begin, end }
            static let reducer = Reducer<Named> { state, event in
                state.isTerminal = event == .end
                return event == .begin
                    ? TransducerEffect(id: 1, operation: { _, _ in throw Part.Oops() }) : .empty
            }.mapID { "number \($0)" }
        }
        let proxy = Named.Proxy(initialEvent: .begin)
        let options = RunOptions<Named>(trace: { record in
            guard case .effectFailed(_, let failure) = record else { return }
            #expect(failure.id == EffectKey("number 1"))
            #expect(throws: Never.self) { try proxy.send(.end) }
        })
        try await Named.run(initialState: .init(), proxy: proxy, options: options)
        #expect(proxy.report.effectFailures.map(\.id) == [EffectKey("number 1")])
    }

    /// A state that can be looked at after the run.
    final class Kept<Value>: Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}
