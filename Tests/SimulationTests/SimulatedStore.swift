import GroveEngine
import GroveTestSupport

/// The probabilities of a store's failures, in thousandths of its commits.
struct StoreFaults {
    /// The disk is full: nothing is written.
    var full = 0
    /// The commit fails, and whether it was written is unknown. The process must end.
    var unknown = 0

    static let none = StoreFaults()
}

/// A store that fails by plan: in memory, and its commits survive a crash.
class SimulatedStore: ForwardingStore {
    var faults = StoreFaults.none
    private(set) var injected = 0
    private(set) var committed: [WriteSet]
    /// Everything that was ever committed, for the model. Nothing is removed from it.
    let archive = MemoryStore()
    private var random: SeededRandom

    /// - Parameter base: Has what was committed.
    required init(seed: UInt64, committed: [WriteSet] = [], base: any Store) {
        self.committed = committed
        random = SeededRandom(seed: seed)
        super.init(RedoCheckingStore(base))
    }

    /// Makes a new store.
    class func make(seed: UInt64) throws -> SimulatedStore {
        Self(seed: seed, base: MemoryStore())
    }

    /// Returns the store that the process after a crash opens.
    func reopened() throws -> SimulatedStore {
        let store = Self(seed: nextSeed(), committed: surviving, base: MemoryStore())
        for writes in store.committed { try store.base.commit(writes) }
        try store.continueRun(of: self)
        // Steps that were removed stay removed. The newest step is never removed.
        let bounds = JournalBounds(stepsMax: max(1, store.base.head - base.first + 1))
        while try store.base.truncate(to: bounds, at: Timestamp(milliseconds: 0)) {}
        let kept = try base.records(after: 0, limit: .max, bytes: .max).count {
            $0.kind != .erased && $0.sequence >= base.floors.first(of: "counter")
        }
        if !base.floors.machines.isEmpty {
            let counters = ["counter": JournalBounds(stepsMax: Int64(kept))]
            while try store.base.truncateMachines(to: counters, at: Timestamp(milliseconds: 0)) {}
        }
        return store
    }

    /// Takes over what a run has counted and archived.
    final func continueRun(of other: SimulatedStore) throws(StoreError) {
        for writes in committed { try archive.commit(writes) }
        faults = other.faults
        injected = other.injected
    }

    /// The seed of the next process.
    final func nextSeed() -> UInt64 { random.next() }

    /// The commits that survive a crash.
    var surviving: [WriteSet] { committed }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        let roll = random.below(1_000)
        if roll < faults.full {
            injected += 1
            throw .full
        }
        if roll < faults.full + faults.unknown {
            injected += 1
            if random.below(2) == 0 { try write(writes) }
            throw .inputOutput("simulated")
        }
        try write(writes)
    }

    private func write(_ writes: WriteSet) throws(StoreError) {
        try base.commit(writes)
        try archive.commit(writes)
        committed.append(writes)
    }
}

/// A planted bug: a crash undoes the last commit, as on a disk that wasn't synced.
final class ForgetfulStore: SimulatedStore {
    override var surviving: [WriteSet] { committed.dropLast() }
}

/// A planted bug: dedup keys are lost, so a repeated event is applied again.
final class KeylessStore: SimulatedStore {
    override func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? { nil }
}

/// A planted bug: a read of the journal skips steps, so a subscription that catches up misses them.
final class LeakyStore: SimulatedStore {
    override func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        try super.records(after: sequence, limit: limit, bytes: bytes).filter {
            $0.sequence % 7 != 0
        }
    }
}

/// A planted bug: the journal doesn't report that its oldest steps were removed.
final class SilentStore: SimulatedStore {
    override var first: JournalPosition { 1 }
    override var floors: JournalFloors { JournalFloors(journal: 1) }
}

/// A planted bug: an instance read from disk is one version too old.
final class StaleStore: SimulatedStore {
    override func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        guard var stored = try super.instance(named: name), stored.version > 1,
            name.machine == "counter"
        else { return try super.instance(named: name) }
        stored.version -= 1
        return stored
    }
}

extension SeededRandom {
    /// Returns a number from 0 to `bound - 1`.
    mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(max(1, bound)))
    }

    /// Returns true with a probability given in thousandths.
    mutating func chance(_ thousandths: Int) -> Bool { below(1_000) < thousandths }

    /// Returns one of the values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
