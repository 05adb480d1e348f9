import BuiltInMachines
import GroveEngine
import GroveProtocol
import GroveTestSupport
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// What other threads do for the engine: LongWork, and EngineLoop+LongWork.
@Suite("Long work", .ownThreads, .timeLimit(.minutes(2)))
struct LongWorkTests {
    // MARK: The list

    @Test func `a few pieces are under way, in their order`() {
        var work = LongWork<String>(atOnce: 2)
        for piece in ["a", "b", "c"] { work.add(piece) }
        let begun = [work.next(), work.next(), work.next()]
        #expect(begun.map { $0?.piece } == ["a", "b", nil])
        let first = begun[0]?.number ?? 0
        let ended = [work.end(first), work.end(first)]
        #expect(ended == ["a", nil])
        let last = work.next()
        #expect(last?.piece == "c" && !work.isEmpty)
    }

    @Test func `pieces can be taken back`() {
        var work = LongWork<Int>(atOnce: 1)
        for piece in 1...6 { work.add(piece) }
        let begun = work.next()
        let odd = work.takeWaiting { $0 % 2 == 1 }
        #expect(odd == [3, 5])
        let all = work.takeAll()
        #expect(all == [1, 2, 4, 6] && work.isEmpty)
        let ended = work.end(begun?.number ?? 0)
        #expect(ended == nil, "what was taken back doesn't end")
    }

    // MARK: Descriptions

    /// Keeps the replies.
    private final class Receiver: ReadyReceiver {
        private let held = Mutex<[Ready.ReplyTo]>([])

        var replies: [Ready.ReplyTo] { held.withLock { $0 } }

        func receive(_ ready: Ready, of commit: CommitStats?) {
            held.withLock { $0 += ready.replies }
        }

        func receive(_ told: @escaping @Sendable () -> Void) { told() }

        func receive(_ heartbeat: EngineHeartbeat) {}

        /// The tokens of the replies to a connection, and how many of them were made elsewhere.
        func answers(to connection: UInt64) -> (tokens: [UInt32], described: Int) {
            let own = replies.filter { $0.connection == ConnectionID(connection) }
            let described = own.count { if case .written = $0.reply { true } else { false } }
            return (own.map(\.token), described)
        }
    }

    /// A loop that hosts a chart `wide` with some hundred states.
    private func started(_ receiver: Receiver) async throws -> EngineLoop {
        let states = (0..<400).map { #""s\#($0)":{"on":{"E\#($0)":"s0"}}"# }
        let text = #"{"id":"wide","initial":"s0","states":{\#(states.joined(separator: ","))}}"#
        guard case .definitions(let family, _) = ChartCompiler.compile(Array(text.utf8)) else {
            throw Fault()
        }
        let loop = EngineLoop(
            source: .memory, retention: RetentionOptions(), log: Log.silent, fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions + family), options: EngineOptions())
        await loop.start(receiver, handlers: EffectHandlers())
        return loop
    }

    private struct Fault: Error {}

    private func describes(_ count: UInt32, of connection: UInt64) -> [Request] {
        (0..<count).map {
            Request(
                connection: ConnectionID(connection), token: $0,
                operation: .describe(Describe(.machine("wide"), format: .mermaid)))
        }
    }

    /// Waits until a connection has a number of replies.
    private func wait(for count: Int, to connection: UInt64, _ receiver: Receiver) async throws {
        while receiver.answers(to: connection).tokens.count < count {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func stop(_ loop: EngineLoop) async throws {
        await loop.stopEffects(grace: .zero)
        try await loop.close()
    }

    @Test func `every description is made, and other requests don't wait for them`() async throws {
        let receiver = Receiver()
        let loop = try await started(receiver)
        let other = Request(
            connection: ConnectionID(2), token: 7,
            operation: .describe(Describe(.machine("turnstile"), format: .dot)))
        await loop.submit([describes(40, of: 1), [other]])
        try await wait(for: 1, to: 2, receiver)
        try await wait(for: 40, to: 1, receiver)
        let place = receiver.replies.firstIndex { $0.connection == ConnectionID(2) }
        #expect(place ?? 40 < 40, "the one of a Swift machine waits for no thread")
        let answers = receiver.answers(to: 1)
        #expect(answers.tokens == Array(0..<40) && answers.described == 40)
        for to in receiver.replies where to.connection == ConnectionID(1) {
            #expect(to.weight > 1_000)
        }
        try await stop(loop)
    }

    @Test func `those of a closed connection are given up, and counted`() async throws {
        let receiver = Receiver()
        let loop = try await started(receiver)
        await loop.submit([describes(60, of: 1)])
        await loop.connectionClosed(ConnectionID(1))
        try await wait(for: 60, to: 1, receiver)
        let answers = receiver.answers(to: 1)
        #expect(answers.tokens.sorted() == Array(0..<60))
        #expect(answers.described < 60)
        // The places are free again.
        await loop.submit([describes(20, of: 3)])
        try await wait(for: 20, to: 3, receiver)
        #expect(receiver.answers(to: 3).described == 20)
        try await stop(loop)
    }

    @Test func `what was asked for before a stop is answered, once`() async throws {
        let receiver = Receiver()
        let loop = try await started(receiver)
        await loop.submit([describes(3, of: 1), describes(1, of: 2)])
        await loop.finish(milliseconds: 60_000)
        #expect(receiver.answers(to: 1).tokens.sorted() == [0, 1, 2])
        #expect(receiver.answers(to: 2).described == 1)
        try await stop(loop)
        // A thread may still come with its result.
        try await Task.sleep(for: .milliseconds(50))
        #expect(receiver.replies.count == 4)
    }
}
