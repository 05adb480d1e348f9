import GroveEngine

/// A store that passes everything on to a store in memory; tests override what they need.
class WrappedStore: Store {
    let base = MemoryStore()

    var logID: LogID { base.logID }
    var head: JournalPosition { base.head }
    var first: JournalPosition { base.first }
    var lastInstanceNumber: InstanceNumber { base.lastInstanceNumber }
    func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        try base.instance(named: name)
    }
    func isLive(_ number: InstanceNumber) throws(StoreError) -> Bool { try base.isLive(number) }
    func instances(
        prefix: String, after: String?, limit: Int
    ) throws(StoreError) -> [StoredInstance] {
        try base.instances(prefix: prefix, after: after, limit: limit)
    }
    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        try base.record(at: sequence)
    }
    func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        try base.records(after: sequence, limit: limit, bytes: bytes)
    }
    func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry? {
        try base.dedup(number, key: key)
    }
    func commit(_ writes: WriteSet) throws(StoreError) { try base.commit(writes) }
    func sweep() throws(StoreError) -> Bool { try base.sweep() }
    func statistics() -> [(name: String, value: Int64)] { base.statistics() }
}

/// Counts the reads of single steps.
final class CountingStore: WrappedStore {
    var reads = 0
    override func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        reads += 1
        return try super.record(at: sequence)
    }
}

/// Fails commits or reads on demand.
final class FaultyStore: WrappedStore {
    var commitError: StoreError?
    var readError: StoreError?
    override func commit(_ writes: WriteSet) throws(StoreError) {
        if let commitError { throw commitError }
        try super.commit(writes)
    }
    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        if let readError { throw readError }
        return try super.instance(named: name)
    }
}
