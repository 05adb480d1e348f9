import GroveEngine
import GroveTestSupport

/// Counts the reads of single steps, and the bytes of the states of instances that are read.
final class CountingStore: ForwardingStore {
    var reads = 0
    var stateBytes = 0
    /// The reads about one instance, by name.
    var asked: [String] = []

    init() { super.init(MemoryStore()) }

    override func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        reads += 1
        return try super.record(at: sequence)
    }

    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        asked.append("instance")
        return try super.instance(named: name)
    }

    override func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        asked.append("deleted")
        return try super.isDeleted(number)
    }

    override func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry? {
        asked.append("dedup")
        return try super.dedup(number, key: key)
    }

    override func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        asked.append("effects")
        return try super.effects(of: number)
    }

    override func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        let found = try super.instances(prefix: prefix, after: after, limit: limit, bytes: bytes)
        stateBytes += found.reduce(0) { $0 + $1.state.count }
        return found
    }
}

/// Fails commits or reads on demand.
final class FaultyStore: ForwardingStore {
    var commitError: StoreError?
    var readError: StoreError?
    /// The number of probes for room.
    var looks = 0

    init() { super.init(MemoryStore()) }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if let commitError { throw commitError }
        try super.commit(writes)
    }

    override func probeDiskSpace() throws(StoreError) {
        looks += 1
        if let commitError { throw commitError }
    }

    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        if let readError { throw readError }
        return try super.instance(named: name)
    }
}

/// A store whose disk is full while the test wants it.
final class FullStore: ForwardingStore {
    var isFull = false

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if isFull { throw .full }
        try super.commit(writes)
    }
}
