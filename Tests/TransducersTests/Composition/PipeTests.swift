import Testing
import Transducers

@Suite("Pipe")
struct PipeTests {
    /// Gives numbers down to 0, one immediate event each.
    enum Source: EffectTransducer {
        struct State: Terminable {
            var last: Int?
            var isTerminal: Bool { last == 0 }
        }
        typealias Event = Int
        typealias Output = Int

        static func update(_ state: inout State, event: Int) -> (Effect?, Int) {
            state.last = event
            return (.event(event - 1), event)
        }
    }

    /// Takes numbers, except 13, until 0 or `limit` of them have come.
    enum Drain<Inbox: TransducerProxy<Int>>: Transducer {
        struct State: Terminable {
            var seen: [Int] = []
            var limit = Int.max
            var isTerminal: Bool { seen.last == 0 || seen.count == limit }
        }
        typealias Event = Int
        typealias Proxy = Inbox

        static func update(_ state: inout State, event: Int) throws -> [Int] {
            guard event != 13 else { throw Rejection("unlucky") }
            state.seen.append(event)
            return state.seen
        }
    }
    typealias Buffered = Drain<Transducers.Proxy<Int>>
    typealias Suspending = Drain<SyncSuspendingProxy<Int>>

    static func source(from first: Int, to pipe: Pipe<Int>) async throws -> Int {
        try await Source.run(
            initialState: .init(), proxy: Source.Proxy(initialEvent: first), output: pipe)
    }

    @Test func `all outputs arrive in order through a buffer of one`() async throws {
        let drain = Buffered.Proxy(bufferSize: 1)
        let result = try await runParallel {
            try await Self.source(from: 200, to: Pipe(to: drain.input) { $0 == 13 ? nil : $0 })
        } second: {
            try await Buffered.run(initialState: .init(), proxy: drain)
        }
        #expect(result.second == (0...200).reversed().filter { $0 != 13 })
    }

    @Test func `the sender waits until the receiver has processed the event`() async throws {
        let drain = Suspending.Proxy()
        let result = try await runParallel {
            try await Self.source(from: 12, to: Pipe(to: drain.input))
        } second: {
            try await Suspending.run(initialState: .init(), proxy: drain)
        }
        #expect(result.first == 0)
        #expect(result.second == (0...12).reversed())
    }

    @Test func `the end of the receiver ends the sender with a clear error`() async throws {
        let drain = Buffered.Proxy(bufferSize: 1)
        let result = try await runParallel(.all) { () -> String in
            do {
                return "\(try await Self.source(from: 200, to: Pipe(to: drain.input)))"
            } catch let error as PipeError {
                return error.description
            }
        } second: {
            try await Buffered.run(initialState: .init(limit: 2), proxy: drain)
        }
        #expect(result.second == [200, 199])
        #expect(
            result.first
                == "the machine at the other end of the pipe has ended: end the sender first, "
                + "or make the pipe with whenReceiverEnds: .dropsOutputs")
    }

    @Test func `outputs may be dropped when the receiver has ended`() async throws {
        let drain = Buffered.Proxy(bufferSize: 1)
        let result = try await runParallel {
            try await Self.source(
                from: 200, to: Pipe(to: drain.input, whenReceiverEnds: .dropsOutputs))
        } second: {
            try await Buffered.run(initialState: .init(limit: 2), proxy: drain)
        }
        #expect(result.first == 0)
        #expect(result.second == [200, 199])
    }

    @Test func `an event that a waited-for receiver refuses ends the sender`() async throws {
        let drain = Suspending.Proxy()
        await #expect(throws: PipeError.refused("unlucky")) {
            try await runParallel {
                try await Self.source(from: 14, to: Pipe(to: drain.input) { $0 })
            } second: {
                try await Suspending.run(initialState: .init(), proxy: drain)
            }
        }
        #expect("\(PipeError.refused("unlucky"))".contains("refused an event (unlucky)"))
    }

    @Test func `an event that a buffered receiver refuses is in its report`() async throws {
        let drain = Buffered.Proxy()
        let result = try await runParallel {
            try await Self.source(from: 14, to: Pipe(to: drain.input))
        } second: {
            try await Buffered.run(initialState: .init(), proxy: drain)
        }
        #expect(result.second == [14] + (0...12).reversed())
        #expect(drain.report.refusedCount == 1)
    }

    @Test func `cancelling a sender that waits is no end of the receiver`() async throws {
        let drain = Buffered.Proxy(bufferSize: 1)
        try drain.send(7)
        let source = Source.Proxy(initialEvent: 1)
        let sender = Task {
            try await Source.run(
                initialState: .init(), proxy: source, output: Pipe(to: drain.input))
        }
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        #expect(try await Buffered.run(initialState: .init(limit: 1), proxy: drain) == [7])
    }
}
