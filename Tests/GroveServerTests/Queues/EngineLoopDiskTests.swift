import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// What the engine's loop notices of the disk while no client sends anything.
@Suite("EngineLoop: the disk")
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
