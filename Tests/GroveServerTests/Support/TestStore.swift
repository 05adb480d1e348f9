import Dispatch
import GroveEngine
import Synchronization

@testable import GroveServer

/// A store in memory whose commits can fail or hang.
final class TestStore: Store {
    /// The faults of the next commits. The test shares them, from another thread.
    final class Faults: Sendable {
        private let next = Mutex<StoreError?>(nil)

        func fail(_ error: StoreError?) { next.withLock { $0 = error } }

        private let gate = Mutex<DispatchSemaphore?>(nil)

        /// Makes the next commit wait until ``goOn()``.
        func hang() { gate.withLock { $0 = DispatchSemaphore(value: 0) } }

        func goOn() {
            gate.withLock {
                $0?.signal()
                $0 = nil
            }
        }

        private func waitWhileHanging() { gate.withLock { $0 }?.wait() }

        func check() throws(StoreError) {
            waitWhileHanging()
            if let error = next.withLock({ $0 }) { throw error }
        }
    }

    private let memory = MemoryStore()

    var accounts: StoredAccounts { memory.accounts }

    func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage {
        try memory.audit(after: number, limit: limit)
    }

    func truncateAudit(before time: Timestamp, at now: Timestamp) throws(StoreError) -> Bool {
        try memory.truncateAudit(before: time, at: now)
    }
    private let faults: Faults

    init(_ faults: Faults) { self.faults = faults }

    static func source(_ faults: Faults) -> StoreSource {
        StoreSource(name: "test") { () throws(StoreOpenError) -> any Store in
            TestStore(faults)
        }
    }

    var logID: LogID { memory.logID }
    var head: JournalPosition { memory.head }
    var first: JournalPosition { memory.first }
    var floors: JournalFloors { memory.floors }
    var holds: [HoldSubject: Hold] { memory.holds }
    var definitions: [StoredDefinition] { memory.definitions }
    var machineCounts: [String: MachineCounts] { memory.machineCounts }
    var lastInstanceNumber: InstanceNumber { memory.lastInstanceNumber }

    func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        try memory.instance(named: name)
    }

    func effects(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try memory.effects(attention, of: machine, after: after, limit: limit)
    }

    func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        try memory.isDeleted(number)
    }

    func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        try memory.instances(prefix: prefix, after: after, limit: limit, bytes: bytes)
    }

    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        try memory.record(at: sequence)
    }

    func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        try memory.records(after: sequence, limit: limit, bytes: bytes)
    }

    func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry? {
        try memory.dedup(number, key: key)
    }

    func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try memory.effects(of: number)
    }

    func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        try memory.effect(ref)
    }

    func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try memory.effectsDue(at: now, limit: limit)
    }

    func nextDue() throws(StoreError) -> Timestamp? { try memory.nextDue() }

    func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try memory.effects(inHandlerQueue: queue, after: after, limit: limit)
    }

    func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try memory.ownEffects(of: number)
    }

    func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects { try memory.soundEffectsDue(at: now, limit: limit) }

    func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try memory.soundEffects(inHandlerQueue: queue, after: after, limit: limit)
    }

    func soundHandlerQueues() throws(StoreError) -> [String] { try memory.soundHandlerQueues() }

    func handlerQueues() throws(StoreError) -> [String] { try memory.handlerQueues() }

    func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        try memory.effects(after: after, limit: limit)
    }

    func commit(_ writes: WriteSet) throws(StoreError) {
        try faults.check()
        try memory.commit(writes)
    }

    func probeDiskSpace() throws(StoreError) { try faults.check() }

    func purge() throws(StoreError) -> Bool { try memory.purge() }

    func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        try faults.check()
        return try memory.truncate(to: bounds, at: now)
    }

    func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool {
        try faults.check()
        return try memory.truncateMachines(to: bounds, at: now)
    }

    func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        try memory.finished(after: number, before: time, limit: limit)
    }

    func statistics() -> [(name: String, value: Int64)] { memory.statistics() }
}
