import Testing
import Transducers

/// The ways in which Oak's users spell types: all of them mean the same machine here.
@Suite("Spellings of a transducer's types", .timeLimit(.minutes(1)))
struct OakTypeFormsTests {
    enum Switch: Transducer {
        enum State: NonTerminal { case off }
        enum Event { case flip }
        static func update(_ state: inout State, event: Event) {}
    }

    enum Gauge: Transducer {
        enum State: NonTerminal { case off }
        enum Event { case read }
        static func update(_ state: inout State, event: Event) -> Double { 0.5 }
    }

    enum Pump: EffectTransducer {
        enum State: NonTerminal { case off }
        enum Event { case start }
        static func update(_ state: inout State, event: Event) -> Self.Effect? { nil }
    }

    enum Valve: EffectTransducer {
        enum State: NonTerminal { case off }
        enum Event { case turn }
        typealias Output = String
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
            (nil, "turned")
        }
    }

    @Test func `a pure transducer without output has Void outputs, no effects, no environment`() {
        typealias T = Switch
        #expect(T.Output.self == Void.self)
        #expect(T.Env.self == Void.self)
        #expect(T.Effect.self == Never.self)
        #expect(T.Proxy.self == Transducers.Proxy<T.Event>.self)
        #expect(T.Input.self == T.Proxy.Input.self)
    }

    @Test func `a pure transducer's output is what update returns`() {
        typealias T = Gauge
        #expect(T.Output.self == Double.self)
        #expect(T.Env.self == Void.self)
        #expect(T.Effect.self == Never.self)
    }

    @Test func `an effect transducer that returns an effect alone has Void outputs`() {
        typealias T = Pump
        #expect(T.Output.self == Void.self)
        #expect(T.Env.self == Void.self)
        #expect(T.Effect.self == TransducerEffect<T>.self)
        #expect(T.TransducerOutput.self == T.Effect?.self)
    }

    @Test func `an effect transducer that returns a pair has the pair's output`() {
        typealias T = Valve
        #expect(T.Output.self == String.self)
        #expect(T.Effect.self == TransducerEffect<T>.self)
        #expect(T.Effect.Event.self == T.Event.self)
        #expect(T.Effect.Env.self == T.Env.self)
        #expect(T.Effect.Input.self == T.Input.self)
    }

    @Test func `a transducer in a suite's namespace may share the protocol's name`() async throws {
        enum EffectTransducer: Transducers.EffectTransducer {
            enum State: Terminable {
                case start, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start }
            static func update(_ state: inout State, event: Event) -> Self.Effect? {
                state = .finished
                return nil
            }
        }
        typealias T = EffectTransducer
        try await T.run(
            initialState: .start, proxy: T.Proxy(initialEvent: .start), env: T.Env())
    }

    @Test func `effects may be spelled Effect, Self.Effect and T.Effect`() async throws {
        enum T: EffectTransducer {
            enum State: Terminable {
                case first, second, third, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case next }

            static func update(_ state: inout State, event: Event) -> Effect? {
                switch state {
                case .first:
                    state = .second
                    return plain()
                case .second:
                    state = .third
                    return bySelf()
                case .third:
                    state = .finished
                    return byName()
                case .finished:
                    return nil
                }
            }
            static func plain() -> Effect { Effect { _, input in try input.send(.next) } }
            static func bySelf() -> Self.Effect { Self.Effect(action: { _ in .next }) }
            static func byName() -> T.Effect { T.Effect.event(.next) }
        }
        try await T.run(initialState: .first, proxy: .init(initialEvent: .next), env: ())
    }

    @Test func `an effect transducer's proxy may be chosen by a typealias`() async throws {
        enum T: EffectTransducer {
            enum State: Terminable {
                case start, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, finish }
            typealias Proxy = Transducers.SyncSuspendingProxy<Event>
            static func update(_ state: inout State, event: Event) -> T.Effect? {
                switch event {
                case .start:
                    return Effect(id: "finish") { _, input in await input.send(.finish) }
                case .finish:
                    state = .finished
                    return nil
                }
            }
        }
        let proxy = T.Proxy()
        let run = Task { try await T.run(initialState: .start, proxy: proxy, env: ()) }
        await proxy.send(.start)
        try await run.value
    }

    @Test func `a state that is a base transducer's needs no update`() {
        enum Shell: BaseTransducer {
            enum State: Terminable {
                case open
                var isTerminal: Bool { false }
            }
            typealias Event = Int
            typealias Output = String
            typealias Effect = Never
            typealias Env = Void
        }
        #expect(Shell.Proxy.self == Proxy<Int>.self)
        #expect(Shell.initialOutput(initialState: .open) == nil)
    }
}
