/// The rows of one commit: journal steps, snapshots, dedup records, deletions. Bytes are pooled
/// in two buffers, so that a commit of thousands of steps needs no allocation for each.
public struct WriteSet: Sendable {
    /// The sequence of the first journal step of this commit: the store's `head + 1`.
    public var firstSequence: JournalPosition

    /// The encoded journal steps, one behind the other.
    public var journal: [UInt8] = []

    /// Where each journal step ends in `journal`; as many as there are steps.
    public var journalEnds: [Int] = []

    /// The encoded snapshots and names that `instances` points into.
    public var snapshots: [UInt8] = []

    /// Each instance that changed, once, with its newest snapshot; also one that `deletions` has,
    /// if it changed before: then nothing of it is written.
    public var instances: [InstanceWrite] = []

    /// New dedup records.
    public var dedups: [DedupWrite] = []

    /// Deleted instances: the row and name go at once, dedup records and old journal steps by
    /// and by (`Store.purge`).
    public var deletions: [Deletion] = []

    /// What was held or let go, each subject once; `nil` lets it go.
    public var holds: [HoldSubject: Hold?] = [:]

    /// Live effects that changed, each once with its newest row.
    public private(set) var effects: [EffectWrite] = []
    private var effectPlaces: [EffectRef: Int] = [:]
    /// About how many bytes they carry.
    private(set) var effectBytes = 0

    /// An empty set whose first journal step would be `firstSequence`.
    public init(firstSequence: JournalPosition) { self.firstSequence = firstSequence }

    /// Begins anew behind a commit and keeps the memory, unless one commit made it large.
    mutating func removeAll(firstSequence: JournalPosition) {
        self.firstSequence = firstSequence
        let keeps = journal.capacity + snapshots.capacity <= Limits.keptWriteBytesMax
        journal.removeAll(keepingCapacity: keeps)
        journalEnds.removeAll(keepingCapacity: keeps)
        snapshots.removeAll(keepingCapacity: keeps)
        instances.removeAll(keepingCapacity: keeps)
        dedups.removeAll()
        deletions.removeAll()
        if !holds.isEmpty { holds.removeAll() }
        if !effects.isEmpty {
            effects.removeAll()
            effectBytes = 0
            effectPlaces.removeAll()
        }
    }

    /// Whether there is nothing to commit.
    public var isEmpty: Bool {
        journalEnds.isEmpty && instances.isEmpty && dedups.isEmpty && deletions.isEmpty
            && effects.isEmpty && holds.isEmpty
    }

    /// Writes the row of an effect, or removes it.
    ///
    /// - Parameters:
    ///   - row: The row; `nil` removes it.
    ///   - ref: Whose it is.
    ///   - isNew: Whether this commit begins the effect: then there is no row to remove.
    public mutating func write(_ row: StoredEffect?, of ref: EffectRef, isNew: Bool) {
        effectBytes += row?.weight ?? 0
        if let place = effectPlaces[ref] {
            effectBytes -= effects[place].row?.weight ?? 0
            effects[place].row = row
        } else {
            effectPlaces[ref] = effects.count
            effects.append(EffectWrite(ref: ref, row: row, isNew: isNew))
        }
    }

    /// What this commit makes of an effect: `nil` when it doesn't touch it.
    func effect(_ ref: EffectRef) -> EffectWrite? { effectPlaces[ref].map { effects[$0] } }

    /// What becomes of one effect's row.
    public struct EffectWrite: Sendable {
        /// Whose it is.
        public var ref: EffectRef
        /// The new row; `nil` when the effect is gone.
        public var row: StoredEffect?
        /// Whether this commit begins the effect. One that it begins and ends leaves nothing.
        public var isNew: Bool
    }

    /// One of the journal steps of this commit, or `nil` when it is none of them.
    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        guard sequence >= firstSequence, sequence - firstSequence < Int64(journalEnds.count)
        else { return nil }
        let index = Int(sequence - firstSequence)
        let begin = index == 0 ? 0 : journalEnds[index - 1]
        return try journal.read(begin..<journalEnds[index]) { bytes throws(StoreError) in
            try JournalRecord(decoding: bytes, sequence: sequence)
        }
    }

    /// Adds the snapshot of one instance.
    ///
    /// - Parameters:
    ///   - stored: The snapshot.
    ///   - isNew: Whether this commit creates the instance.
    public mutating func append(_ stored: borrowing StoredInstance, isNew: Bool) {
        let name = snapshots.count
        snapshots.append(contentsOf: stored.name.text.utf8)
        let snapshot = snapshots.count
        stored.encode(into: &snapshots)
        instances.append(
            InstanceWrite(
                number: stored.number, isNew: isNew, name: name..<snapshot,
                snapshot: snapshot..<snapshots.count))
    }

    /// Puts a newer snapshot in the place of one that was added before.
    mutating func rewrite(_ index: Int, as stored: borrowing StoredInstance) {
        let begin = snapshots.count
        stored.encode(into: &snapshots)
        instances[index].snapshot = begin..<snapshots.count
    }

    /// One instance's snapshot. Plain numbers, so that putting thousands in order is cheap.
    public struct InstanceWrite: Sendable {
        /// The instance.
        public var number: InstanceNumber
        /// Whether this commit creates it.
        public var isNew: Bool
        /// Its name, a place in `snapshots`.
        public var name: Range<Int>
        /// Its encoded snapshot (`StoredInstance.encode`), another one.
        public var snapshot: Range<Int>
    }

    /// One dedup record.
    public struct DedupWrite: Sendable {
        /// The instance it belongs to.
        public var number: InstanceNumber
        /// The client's key, 1 to 200 bytes.
        public var key: [UInt8]
        /// What to answer to a repeat.
        public var entry: DedupEntry

        /// Puts the three together.
        public init(number: InstanceNumber, key: [UInt8], entry: DedupEntry) {
            self.number = number
            self.key = key
            self.entry = entry
        }
    }

    /// One deleted instance.
    public struct Deletion: Sendable {
        /// The instance.
        public var number: InstanceNumber
        /// Its newest journal step: the chain of `JournalRecord.previous` begins here.
        public var newest: JournalPosition

        /// Puts the two together.
        public init(number: InstanceNumber, newest: JournalPosition) {
            self.number = number
            self.newest = newest
        }
    }
}
