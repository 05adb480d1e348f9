import BuiltInMachines
import GroveEngine
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// When the engine's thread sends answers and reads the next requests by itself.
@Suite("EngineLoop: reading the next requests")
struct EngineLoopReadingTests {
    /// An io side that is always free to be used, with requests to read.
    private final class Receiver: ReadyReceiver {
        struct Seen {
            /// The calls in their order: answers sent `now` or `later`, `read`, `end`.
            var calls: [String] = []
            var waiting: [[[Request]]] = []
        }

        let seen = Mutex(Seen())

        func receive(_ ready: Ready, of commit: CommitStats?) {
            if !ready.replies.isEmpty { seen.withLock { $0.calls.append("later") } }
        }

        func receive(_ done: @escaping @Sendable () -> Void) { done() }

        func receive(_ heartbeat: EngineHeartbeat) {}

        func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool {
            seen.withLock { $0.calls.append("now") }
            return true
        }

        func readNow() -> [[Request]] {
            seen.withLock { seen in
                seen.calls.append("read")
                return seen.waiting.isEmpty ? [] : seen.waiting.removeFirst()
            }
        }

        func endReading() { seen.withLock { $0.calls.append("end") } }

        /// Sets the requests of the next readings.
        func wait(_ readings: [[Request]]...) { seen.withLock { $0.waiting = readings } }

        /// The calls since the last one of this, as soon as there are `count`. Work that is posted
        /// to the loop before would keep it from reading.
        func calls(_ count: Int, _ loop: EngineLoop) async throws -> [String] {
            for _ in 0..<10_000 where seen.withLock({ $0.calls.count }) < count {
                try await Task.sleep(for: .milliseconds(1))
            }
            for _ in 0..<20 { await loop.pass() }
            return seen.withLock { seen in
                defer { seen.calls = [] }
                return seen.calls
            }
        }
    }

    private func opened(
        _ receiver: Receiver, _ source: StoreSource = .memory
    ) async throws -> EngineLoop {
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: Log.silent, fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: EngineOptions())
        await loop.start(receiver, handlers: EffectHandlers())
        // A commit takes a while on a busy machine.
        await loop.setFastCommit(microseconds: .max)
        // And so do 65 requests, which must share one.
        await loop.setIntake(microseconds: 10_000_000...10_000_000)
        _ = try await receiver.calls(0, loop)
        return loop
    }

    /// Requests that create instances, which a commit answers.
    private func creations(_ count: Int) throws -> [Request] {
        try (0..<count).map { token in
            let name = try #require(InstanceName("counter/c\(UInt64.random(in: 0 ... .max))"))
            return Request(
                connection: ConnectionID(1), token: UInt32(token),
                operation: .create(Create(to: name, input: nil, dedup: nil)))
        }
    }

    @Test func `after a small commit it reads until no request comes`() async throws {
        let receiver = Receiver()
        let loop = try await opened(receiver)
        receiver.wait([try creations(1)], [try creations(2)])
        await loop.submit([try creations(1)])
        #expect(try await receiver.calls(6, loop) == ["now", "read", "now", "read", "now", "read"])
        try await loop.close()
    }

    @Test func `after a slow commit the io side reads`() async throws {
        let receiver = Receiver()
        let loop = try await opened(receiver)
        receiver.wait([try creations(1)])
        await loop.submit([try creations(1)])
        #expect(try await receiver.calls(4, loop) == ["now", "read", "now", "read"])
        await loop.setFastCommit(microseconds: -1)
        await loop.submit([try creations(1)])
        #expect(try await receiver.calls(1, loop) == ["now"])
        try await loop.close()
    }

    @Test func `many answers are left to the io side`() async throws {
        let receiver = Receiver()
        let loop = try await opened(receiver)
        let most = EngineLoop.answersSentHereMax
        await loop.submit([try creations(most + 1)])
        #expect(try await receiver.calls(1, loop) == ["later"])
        // And the io side reads again, if this thread did before.
        receiver.wait([try creations(most + 1)])
        await loop.submit([try creations(1)])
        let calls = try await receiver.calls(4, loop)
        #expect(calls == ["now", "read", "later", "end"])
        try await loop.close()
    }

    @Test func `requests without an answer end nothing`() async throws {
        let receiver = Receiver()
        let loop = try await opened(receiver)
        let name = try #require(InstanceName("counter/waited"))
        let silent = Request(
            connection: ConnectionID(1), token: 9,
            operation: .await(
                Await(to: name, until: .done, timeout: 60_000)))
        await loop.submit([
            [
                Request(
                    connection: ConnectionID(1), token: 1,
                    operation: .create(Create(to: name, input: nil, dedup: nil)))
            ]
        ])
        _ = try await receiver.calls(2, loop)
        receiver.wait([[silent]])
        await loop.submit([try creations(1)])
        #expect(try await receiver.calls(3, loop) == ["now", "read", "read"])
        try await loop.close()
    }
}
