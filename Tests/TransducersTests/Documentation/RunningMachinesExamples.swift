import Testing
import Transducers

/// The examples of the article on running.
@Suite("Article: Running machines", .timeLimit(.minutes(1)))
struct RunningMachinesExamples {
    enum Lamp: Transducer {
        enum State: NonTerminal { case off, on }
        enum Event { case press, smash }
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) throws -> State {
            guard event == .press else { throw Rejection("lamps are not for that") }
            state = state == .on ? .off : .on
            return state
        }
    }

    @MainActor final class Panel {
        var lamp = Lamp.State.off

        func run(_ proxy: Lamp.Proxy) async throws {
            try await Lamp.run(state: \.lamp, host: self, proxy: proxy)
        }
    }

    @Test func `a driver applies events in the call`() throws {
        let driver = SynchronousDriver(of: Lamp.self, initialState: .off)
        try driver.send(.press)
        let outputs = try driver.outputs(of: .press)
        #expect(outputs == [.off] && driver.state == .off)
        #expect(throws: Rejection.self) { try driver.send(.smash) }
    }

    @Test func `senders get results, and the host has the state`() async throws {
        let panel = Panel()
        let lamp = Lamp.Proxy()
        let run = Task { try await panel.run(lamp) }
        let first = await lamp.send(.press)
        let second = await lamp.send(.smash)
        #expect(first == .applied)
        #expect(second == .refused(Rejection("lamps are not for that")))
        #expect(await panel.lamp == .on)
        lamp.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
    }

    @Test func `an error says what to do`() {
        let message = TransducerError.bufferFull(capacity: 8).description
        #expect(
            message == "8 events wait already and this one was not taken: send it again later, "
                + "wait for room with enqueue, or make the buffer larger")
    }

    @Test func `a full buffer refuses the newest event`() throws {
        let proxy = Proxy<Lamp.Event>(bufferSize: 1)
        try proxy.send(.press)
        #expect(throws: TransducerError.bufferFull(capacity: 1)) { try proxy.send(.press) }
        #expect(proxy.waitingCount == 1)
    }

    @Test func `a proxy has one life`() async {
        let lamp = Lamp.Proxy()
        lamp.cancel()
        await #expect(throws: TransducerError.cancelled) {
            try await Lamp.run(initialState: .off, proxy: lamp)
        }
        await #expect(throws: TransducerError.self) {
            try await Lamp.run(initialState: .off, proxy: lamp)
        }
    }

    @Test func `a trace gets each step`() throws {
        let options = RunOptions<Lamp>(trace: { record in
            if case .applied(let event, _, let after, _) = record { print(event, after) }
        })
        let driver = SynchronousDriver(of: Lamp.self, initialState: .off, options: options)
        try driver.send(.press)
        #expect(driver.state == .on)
    }
}
