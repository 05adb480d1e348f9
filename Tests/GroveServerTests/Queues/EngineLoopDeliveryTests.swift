import BuiltInMachines
import GroveEngine
import GroveProtocol
import OrderedJSON
import Synchronization
import Testing
import Transducers

@testable import GroveServer

@Suite("EngineLoop: large replies")
struct EngineLoopDeliveryTests {
    /// An io side that reports its progress only when the test calls ``catchUp()``.
    private final class Receiver: ReadyReceiver {
        private struct Held {
            var weight = 0
            var replies = 0
            var applied: [[ArraySlice<Request>]] = []
            var told: [@Sendable () -> Void] = []
        }

        private let held = Mutex(Held())

        var weight: Int { held.withLock { $0.weight } }
        var replies: Int { held.withLock { $0.replies } }

        /// Drops the requests that came back.
        func dropRequests() { held.withLock { $0.applied = [] } }

        func receive(_ ready: Ready, of commit: CommitStats?) {
            held.withLock { held in
                held.replies += ready.replies.count
                held.applied.append(ready.applied)
                held.weight += ready.replies.reduce(0) { $0 + $1.reply.weight }
            }
        }

        func receive(_ told: @escaping @Sendable () -> Void) {
            held.withLock { $0.told.append(told) }
        }

        func receive(_ heartbeat: EngineHeartbeat) {}

        /// Reports everything received so far as delivered. Returns whether the engine waited for
        /// that.
        func catchUp() -> Bool {
            let told = held.withLock { held in
                defer { held.told = [] }
                return held.told
            }
            for tell in told { tell() }
            return !told.isEmpty
        }
    }

    private struct Weak { weak var send: Send? }

    /// Waits until everything posted to the loop is done.
    private func settle(_ loop: EngineLoop) async { for _ in 0..<20 { await loop.pass() } }

    /// A loop with the built-in machines, over a store in memory.
    private func started(_ receiver: Receiver) async throws -> EngineLoop {
        let loop = EngineLoop(
            source: .memory, retention: RetentionOptions(), log: Log.silent, fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: EngineOptions())
        await loop.start(receiver, handlers: EffectHandlers())
        return loop
    }

    @Test func `requests come back with the answers to them`() async throws {
        let receiver = Receiver()
        let loop = try await started(receiver)
        let event = try #require(
            BuiltInMachines.definitions.first { $0.name == "counter" }
        ).machine.decodeEvent(JSONValue.string("increment"))
        let name = try #require(InstanceName("counter/c"))
        var sends: [Weak] = []
        // More than one turn of a connection, and many answers: the io side sends them.
        for connection: UInt64 in 1...3 {
            let requests = (0..<400 as Range<UInt32>).map { token in
                let send = Send(
                    to: name, event: .decoded(event), eventText: Array("\"increment\"".utf8))
                sends.append(Weak(send: send))
                return Request(
                    connection: ConnectionID(connection), token: token, operation: .send(send))
            }
            await loop.submit([requests])
        }
        await settle(loop)
        #expect(receiver.replies == 1_200)
        // The receiver alone has them.
        #expect(sends.allSatisfy { $0.send != nil })
        receiver.dropRequests()
        #expect(sends.allSatisfy { $0.send == nil })
    }

    @Test func `the small reply beside large ones doesn't wait for all of them`() async throws {
        let receiver = Receiver()
        let loop = try await started(receiver)
        let name = try #require(InstanceName("shipment/large"))
        let text = String(repeating: "x", count: 900_000)
        let state = #"{"status":"packed","track":"\#(text)"}"#
        let item = Import(to: name, version: 1, state: Array(state.utf8))
        await loop.submit([
            [Request(connection: ConnectionID(1), token: 0, operation: .importing(item))]
        ])
        await settle(loop)
        try #require(receiver.replies == 1)
        // Each connection stays below its window.
        for connection: UInt64 in 1...10 {
            let gets = (UInt32(0)..<4).map {
                Request(
                    connection: ConnectionID(connection), token: $0,
                    operation: .get(Get(to: name, at: nil)))
            }
            await loop.submit([gets])
        }
        await settle(loop)
        let most = ServerLimits.undeliveredBytesMax + state.utf8.count
        #expect(receiver.weight >= ServerLimits.undeliveredBytesMax && receiver.weight <= most)
        var weight = 0
        while receiver.replies < 41 {
            try #require(receiver.catchUp(), "nobody waits, and \(receiver.replies) were given")
            await settle(loop)
            #expect(receiver.weight - weight <= 2 * most)
            weight = receiver.weight
        }
        await loop.stopEffects(grace: .zero)
        try await loop.close()
    }
}

extension EngineLoop {
    /// Does nothing on the queue, but runs after all earlier posts.
    func pass() {}
}
