import BuiltInMachines
import GroveEngine
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// What the engine's loop notices of the disk while no client sends anything.
@Suite("EngineLoop: the disk", .timeLimit(.minutes(1)))
struct EngineLoopDiskTests {
    /// The log of this store can't be moved.
    private final class StuckLogStore: ForwardingStore {
        init() { super.init(MemoryStore()) }

        override func checkpoint() throws(StoreError) { throw .inputOutput("simulated") }
    }

    private final class Receiver: ReadyReceiver {
        func receive(_ ready: Ready, of commit: CommitStats?) {}
        func receive(_ done: @escaping @Sendable () -> Void) { done() }
        func receive(_ heartbeat: EngineHeartbeat) {}
        func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool { false }
        func readNow() -> [[Request]] { [] }
        func endReading() {}
    }

    /// What happened, in its order.
    private final class Events: Sendable {
        private let kept = Mutex<[String]>([])

        var all: [String] { kept.withLock { $0 } }

        func note(_ event: String) { kept.withLock { $0.append(event) } }
    }

    private final class NotingStore: ForwardingStore {
        private let events: Events

        init(_ events: Events) {
            self.events = events
            super.init(MemoryStore())
        }

        override func commit(_ writes: WriteSet) throws(StoreError) {
            try super.commit(writes)
            events.note("commit")
        }

        override func checkpoint() throws(StoreError) {
            events.note("checkpoint")
            try super.checkpoint()
        }
    }

    private final class NotingReceiver: ReadyReceiver {
        private let events: Events

        init(_ events: Events) { self.events = events }

        func receive(_ ready: Ready, of commit: CommitStats?) {
            if !ready.replies.isEmpty { events.note("replies") }
        }
        func receive(_ done: @escaping @Sendable () -> Void) { done() }
        func receive(_ heartbeat: EngineHeartbeat) {}
        func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool {
            receive(ready, of: commit)
            return true
        }
        func readNow() -> [[Request]] { [] }
        func endReading() {}
    }

    @Test func `replies leave before the log is moved`() async throws {
        let events = Events()
        let source = StoreSource(name: "noting") { () throws(StoreOpenError) -> any Store in
            NotingStore(events)
        }
        let receiver = NotingReceiver(events)
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: Log.silent, fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: EngineOptions())
        await loop.start(receiver, handlers: EffectHandlers())
        let event = try #require(
            BuiltInMachines.definitions.first { $0.name == "counter" }
        ).machine.decodeEvent(JSONValue.string("increment"))
        let name = try #require(InstanceName("counter/c"))
        for token in 0..<20 as Range<UInt32> {
            let before = events.all.count
            let send = Send(
                to: name, event: .decoded(event), eventText: Array("\"increment\"".utf8))
            await loop.submit([
                [Request(connection: ConnectionID(1), token: token, operation: .send(send))]
            ])
            while !events.all[before...].contains("replies"), !Task.isCancelled {
                await loop.pass()
            }
            await loop.pass()
            let seen = events.all[before...].drop { $0 != "commit" }
            #expect(Array(seen.prefix(3)) == ["commit", "replies", "checkpoint"])
        }
        try await loop.close()
        withExtendedLifetime(receiver) {}
    }

    @Test func `a failed move of the log ends a server without requests`() async throws {
        let errors = Mutex<[String]>([])
        let source = StoreSource(name: "stuck") { () throws(StoreOpenError) -> any Store in
            StuckLogStore()
        }
        let receiver = Receiver()
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: Log.silent,
            fatal: { error in errors.withLock { $0.append("\(error)") } })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: EngineOptions())
        await loop.start(receiver, handlers: EffectHandlers())
        for _ in 0..<1_000 where errors.withLock({ $0.isEmpty }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0.first?.contains("simulated") } == true)
        try await loop.close()
        withExtendedLifetime(receiver) {}
    }
}
