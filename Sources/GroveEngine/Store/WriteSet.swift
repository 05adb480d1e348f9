import GroveAccess

/// The rows of one commit: journal steps, snapshots, dedup entries, deletions, effects. The bytes
/// are pooled in two buffers, so that thousands of steps need no allocation each.
public struct WriteSet: Sendable {
    /// The sequence of the first journal step of this commit: the store's `head + 1`.
    public var firstSequence: JournalPosition

    /// The encoded journal steps, one after the other.
    public var journal: [UInt8] = []

    /// The end of each journal step in `journal`.
    public var journalEnds: [Int] = []

    /// The encoded snapshots and names of `instances`.
    public var snapshots: [UInt8] = []

    /// The newest snapshot of each changed instance. Isn't written for instances in `deletions`.
    public var instances: [InstanceWrite] = []

    public var dedups: [DedupWrite] = []

    /// Deleted instances. The row and the name are removed at once, dedup entries and journal steps
    /// in later turns (`Store.purge`).
    public var deletions: [Deletion] = []

    /// The changed holds, each subject once; `nil` ends the hold.
    public var holds: [HoldSubject: Hold?] = [:]

    /// The changes of definitions, in order.
    public var definitions: [DefinitionChange] = []

    /// The changed rows of accounts, in order, and the lines of the audit about them.
    package var accounts: [AccountRow] = []

    /// The newest row of each changed effect.
    public private(set) var effects: [EffectWrite] = []
    private var effectPlaces: [EffectRef: Int] = [:]
    /// The estimated bytes of `effects`.
    package private(set) var effectBytes = 0

    /// Creates an empty set whose first journal step would be `firstSequence`.
    public init(firstSequence: JournalPosition) { self.firstSequence = firstSequence }

    /// Removes all rows and keeps the memory, unless it is large.
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
        if !definitions.isEmpty { definitions.removeAll() }
        if !accounts.isEmpty { accounts.removeAll() }
        if !effects.isEmpty {
            let keeps = effects.count <= Limits.keptEffectWritesMax
            effects.removeAll(keepingCapacity: keeps)
            effectBytes = 0
            effectPlaces.removeAll(keepingCapacity: keeps)
        }
    }

    public var isEmpty: Bool {
        journalEnds.isEmpty && instances.isEmpty && dedups.isEmpty && deletions.isEmpty
            && effects.isEmpty && holds.isEmpty && definitions.isEmpty && accounts.isEmpty
    }

    /// Writes the row of an effect, or removes it.
    ///
    /// - Parameters:
    ///   - row: The row; `nil` removes it.
    ///   - isNew: Whether this commit creates the effect: then there is no row to remove.
    ///   - followsFromJournal: See ``EffectWrite/followsFromJournal``.
    public mutating func write(
        _ row: StoredEffect?, of ref: EffectRef, isNew: Bool, followsFromJournal: Bool = false
    ) {
        effectBytes += row?.weight ?? 0
        if let place = effectPlaces[ref] {
            effectBytes -= effects[place].row?.weight ?? 0
            effects[place].row = row
            if !followsFromJournal { effects[place].followsFromJournal = false }
        } else {
            effectPlaces[ref] = effects.count
            effects.append(
                EffectWrite(
                    ref: ref, row: row, isNew: isNew, followsFromJournal: followsFromJournal))
        }
    }

    /// The change of an effect in this commit; `nil` without one.
    package func effect(_ ref: EffectRef) -> EffectWrite? { effectPlaces[ref].map { effects[$0] } }

    /// The change of one effect's row.
    public struct EffectWrite: Sendable {
        public var ref: EffectRef
        public var row: StoredEffect?
        /// Whether this commit creates the effect. If it also removes it, nothing is written.
        public var isNew: Bool
        /// Whether the row follows from the one before this commit and the commit's journal steps
        /// (``JournaledEffects``). A store may then write it later, together with the snapshot.
        public var followsFromJournal: Bool

        package init(
            ref: EffectRef, row: StoredEffect?, isNew: Bool, followsFromJournal: Bool = false
        ) {
            self.ref = ref
            self.row = row
            self.isNew = isNew
            self.followsFromJournal = followsFromJournal
        }
    }

    /// A journal step of this commit; `nil` for other positions.
    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        guard sequence >= firstSequence, sequence - firstSequence < Int64(journalEnds.count)
        else { return nil }
        let index = Int(sequence - firstSequence)
        let begin = index == 0 ? 0 : journalEnds[index - 1]
        return try journal.read(begin..<journalEnds[index]) { bytes throws(StoreError) in
            try JournalRecord(decoding: bytes, sequence: sequence)
        }
    }

    /// Adds the snapshot of one instance, which isn't changed: a borrowed value of this size would
    /// be copied for each call.
    ///
    /// - Parameters:
    ///   - isNew: Whether this commit creates the instance.
    ///   - followsFromJournal: See ``InstanceWrite/followsFromJournal``.
    public mutating func append(
        _ stored: inout StoredInstance, isNew: Bool, followsFromJournal: Bool = false
    ) {
        let name = snapshots.count
        snapshots.append(contentsOf: stored.name.text.utf8)
        let snapshot = snapshots.count
        stored.encode(into: &snapshots)
        instances.append(
            InstanceWrite(
                number: stored.number, isNew: isNew, followsFromJournal: followsFromJournal,
                name: name..<snapshot, snapshot: snapshot..<snapshots.count))
    }

    /// Replaces a snapshot that was added before by a newer one.
    mutating func rewrite(_ index: Int, as stored: inout StoredInstance) {
        let begin = snapshots.count
        stored.encode(into: &snapshots)
        instances[index].snapshot = begin..<snapshots.count
    }

    /// One instance's snapshot. Plain numbers, so that thousands are sorted fast.
    public struct InstanceWrite: Sendable {
        public var number: InstanceNumber
        public var isNew: Bool
        /// Whether the snapshot follows from the one before this commit and the commit's journal
        /// steps (``StoredInstance/redo(_:)``). A store may then write its row later.
        public var followsFromJournal: Bool
        /// The range of its name in `snapshots`.
        public var name: Range<Int>
        /// The range of its encoded snapshot (`StoredInstance.encode`) in `snapshots`.
        public var snapshot: Range<Int>
    }

    /// One dedup entry.
    public struct DedupWrite: Sendable {
        /// The instance it belongs to.
        public var number: InstanceNumber
        /// The client's key, 1 to 200 bytes.
        public var key: [UInt8]
        public var entry: DedupEntry
        /// Whether the entry follows from the commit's journal steps
        /// (``JournalRecord/dedupEntry``). A store may then write its row later.
        public var followsFromJournal: Bool

        public init(
            number: InstanceNumber, key: [UInt8], entry: DedupEntry,
            followsFromJournal: Bool = false
        ) {
            self.number = number
            self.key = key
            self.entry = entry
            self.followsFromJournal = followsFromJournal
        }
    }

    /// One deleted instance.
    public struct Deletion: Sendable {
        public var number: InstanceNumber
        /// Its newest journal step, the head of the chain of `JournalRecord.previous`.
        public var newest: JournalPosition

        public init(number: InstanceNumber, newest: JournalPosition) {
            self.number = number
            self.newest = newest
        }
    }
}
