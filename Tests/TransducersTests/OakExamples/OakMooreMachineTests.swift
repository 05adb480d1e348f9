import Testing
import Transducers

/// Machines whose output is there before the first event.
@Suite("Initial output", .timeLimit(.minutes(1)))
struct OakMooreMachineTests {
    enum Level: Transducer {
        enum State: Terminable, Equatable {
            case at(Int), closed
            var isTerminal: Bool { self == .closed }
        }
        enum Event { case rise, close }

        static func update(_ state: inout State, event: Event) -> Int {
            switch (event, state) {
            case (.rise, .at(let level)):
                state = .at(level + 1)
                return level + 1
            case (.close, .at(let level)):
                state = .closed
                return level
            case (_, .closed):
                return 0
            }
        }

        static func initialOutput(initialState: State) -> Int? {
            if case .at(let level) = initialState { level } else { -1 }
        }
    }

    @Test func `it comes first`() async throws {
        let proxy = Level.Proxy()
        for event in [Level.Event.rise, .rise, .close] { try proxy.send(event) }
        let outputs = Notes<Int>()
        let result = try await Level.run(
            initialState: .at(20), proxy: proxy, output: Callback { outputs.add($0) })
        #expect(result == 22)
        #expect(outputs.values == [20, 21, 22, 22])
    }

    @Test func `it is the result of a machine that begins at its end`() async throws {
        let outputs = Notes<Int>()
        let result = try await Level.run(
            initialState: .closed, proxy: .init(initialEvent: .rise),
            output: Callback { outputs.add($0) })
        #expect(result == -1)
        #expect(outputs.values == [-1])
    }

    enum Alarm: EffectTransducer {
        enum State: Terminable {
            case armed, ringing, off
            var isTerminal: Bool { self == .off }
        }
        enum Event { case ring, stop }
        typealias Output = String
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
            state = event == .ring ? .ringing : .off
            return (event == .ring ? .event(.stop) : nil, "\(state)")
        }
        static func initialOutput(initialState: State) -> Output? { "\(initialState)" }
    }

    @Test func `an effect machine has one, too`() async throws {
        let outputs = Notes<String>()
        let result = try await Alarm.run(
            initialState: .armed, proxy: .init(initialEvent: .ring), env: (),
            output: Callback { outputs.add($0) })
        #expect(result == "off")
        #expect(outputs.values == ["armed", "ringing", "off"])
    }

    @Test func `without one, a machine that begins at its end has nothing to return`()
        async throws
    {
        enum Done: Transducer {
            enum State: Terminable {
                case finished
                var isTerminal: Bool { true }
            }
            enum Event { case any }
            static func update(_ state: inout State, event: Event) -> Int { 0 }
        }
        let error = await #expect(throws: TransducerError.self) {
            try await Done.run(initialState: .finished, proxy: .init())
        }
        #expect(error == TransducerError.noOutputProduced)
    }

    @Test func `a machine without output that begins at its end just returns`() async throws {
        enum Done: EffectTransducer {
            enum State: Terminable {
                case finished
                var isTerminal: Bool { true }
            }
            enum Event { case any }
            static func update(_ state: inout State, event: Event) -> Effect? { nil }
        }
        try await Done.run(initialState: .finished, proxy: .init(initialEvent: .any), env: ())
    }

    @Test func `a machine without output may report its start`() async throws {
        enum Quiet: Transducer {
            enum State: Terminable {
                case open, closed
                var isTerminal: Bool { self == .closed }
            }
            enum Event { case close }
            static func update(_ state: inout State, event: Event) { state = .closed }
            static func initialOutput(initialState: State) -> Void? { () }
        }
        let told = Notes<Bool>()
        try await Quiet.run(
            initialState: .open, proxy: .init(initialEvent: .close),
            output: Callback { _ in told.add(true) })
        #expect(told.values.count == 2)
    }

    @Test func `the next event waits until the initial output is delivered`() async throws {
        let (proxy, mayGoOn) = (Level.Proxy(initialEvent: .rise), Signal())
        let outputs = Notes<Int>()
        let task = Task {
            try await Level.run(
                initialState: .at(0), proxy: proxy,
                output: Callback { output in
                    outputs.add(output)
                    await mayGoOn.wait()
                })
        }
        await until { outputs.values == [0] }
        for _ in 1...20 { await Task.yield() }
        #expect(outputs.values == [0])
        mayGoOn.fire()
        try proxy.send(.close)
        #expect(try await task.value == 1)
    }
}
