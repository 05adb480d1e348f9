import GroveEngine

/// The rows of `instances` and `dedup` that are behind the journal, as they are to be written.
///
/// A commit writes its journal steps. The rows that follow from them are written back by later
/// commits, so that each page carries many changes. After a crash, ``JournalRedo`` makes these rows
/// again from the end of the journal. ``RedoBounds`` bound that end, and the memory taken here.
///
/// The rows of neighboring instances, about a page of them, are a bucket and are written together.
struct PendingRows {
    /// A group of instances with neighboring numbers.
    typealias BucketID = Int64

    private static func bucketID(of number: Int64) -> BucketID {
        number >> StoreLimits.bucketBits
    }

    let bounds: RedoBounds

    private var entries: [Int64: Entry] = [:]
    private var buckets: [BucketID: Bucket] = [:]
    /// Buckets in the order of `since`. One that was written back stays until it is the first: it
    /// is then no longer in `buckets` with the same `since`.
    private var queue: [Waiting] = []
    private var queueStart = 0
    /// Buckets with ``StoreLimits/bucketRowsMax`` rows: the next commit writes them back, whatever
    /// their age.
    private var full: [BucketID] = []
    /// Rows to write back with the next commits: a commit's share is a fraction of a bucket.
    private var owed = 0.0

    /// The number of rows that are behind.
    private(set) var count = 0

    /// Counted bytes of all rows.
    private(set) var bytes = 0

    /// Bytes of the journal's steps since the file was opened, and of those that were redone then.
    private(set) var journalBytes: Int64 = 0

    init(bounds: RedoBounds) { self.bounds = bounds }

    // MARK: Reading

    /// The instance as its row will say, or `nil` when its row isn't behind.
    func instance(
        _ number: InstanceNumber, named name: InstanceName
    ) throws(StoreError) -> StoredInstance? {
        guard let entry = entries[number.value], !entry.row.isEmpty else { return nil }
        return try entry.row.read(entry.nameBytes..<entry.row.count) { bytes throws(StoreError) in
            try StoredInstance(decoding: bytes, number: number, name: name)
        }
    }

    func dedup(_ number: InstanceNumber, key: [UInt8]) -> DedupEntry? {
        entries[number.value]?.dedups[key]
    }

    /// The point up to which the rows hold all steps once some buckets are written back; `nil` if
    /// no other row is behind.
    func redoPoint(without written: [BucketID] = []) -> RedoPoint? {
        let written = Set(written)
        return queue[queueStart...].first { isWaiting($0) && !written.contains($0.id) }?.since
    }

    private func isWaiting(_ waiting: Waiting) -> Bool {
        buckets[waiting.id]?.since == waiting.since
    }

    // MARK: Adding

    /// Whether the row of an instance is written after its commit. That of a large snapshot isn't,
    /// because a bucket of these would be a long commit.
    static func isPostponed(_ instance: WriteSet.InstanceWrite) -> Bool {
        instance.followsFromJournal
            && instance.snapshot.count <= StoreLimits.postponedSnapshotBytesMax
    }

    /// Adds the rows that a durable commit didn't write, and drops those that it wrote or removed.
    mutating func add(_ writes: borrowing WriteSet) {
        let since = RedoPoint(step: writes.firstSequence - 1, byte: journalBytes)
        journalBytes += Int64(writes.journal.count)
        var deleted: Set<InstanceNumber> = []
        for deletion in writes.deletions {
            drop(deletion.number.value) { $0.dedups = [:] }
            deleted.insert(deletion.number)
        }
        writes.snapshots.withUnsafeBufferPointer { pool in
            for instance in writes.instances where !deleted.contains(instance.number) {
                if Self.isPostponed(instance) {
                    put(
                        instance.number.value, name: pool[instance.name],
                        snapshot: pool[instance.snapshot], since: since)
                } else {
                    drop(instance.number.value)
                }
            }
        }
        for dedup in writes.dedups
        where dedup.followsFromJournal && !deleted.contains(dedup.number) {
            put(dedup.entry, key: dedup.key, of: dedup.number.value, since: since)
        }
    }

    /// Adds rows that are made again from the journal.
    ///
    /// - Parameters:
    ///   - instance: The instance; `nil` if its row isn't behind.
    ///   - since: The point up to which the rows hold all steps.
    mutating func restore(
        _ instance: StoredInstance?, _ dedups: [WriteSet.DedupWrite], of number: InstanceNumber,
        since: RedoPoint
    ) {
        if let bucket = buckets[Self.bucketID(of: number.value)], since.step < bucket.since.step {
            buckets[Self.bucketID(of: number.value)]?.since = since
        }
        if let instance {
            var snapshot: [UInt8] = []
            instance.encode(into: &snapshot)
            put(number.value, name: instance.name.text.utf8, snapshot: snapshot, since: since)
        }
        for dedup in dedups { put(dedup.entry, key: dedup.key, of: number.value, since: since) }
    }

    /// Completes the rows that are made again: orders them by age.
    mutating func endRestoring(journalBytes: Int64) {
        queue = buckets.map { Waiting(id: $0.key, since: $0.value.since) }
            .sorted { $0.since.step < $1.since.step }
        self.journalBytes = journalBytes
    }

    private mutating func put(
        _ number: Int64, name: some Collection<UInt8>, snapshot: some Collection<UInt8>,
        since: RedoPoint
    ) {
        change(number, since: since) { $0.setRow(name: name, snapshot: snapshot) }
    }

    private mutating func put(
        _ dedup: DedupEntry, key: [UInt8], of number: Int64, since: RedoPoint
    ) {
        change(number, since: since) { $0.dedups[key] = dedup }
    }

    private mutating func change(
        _ number: Int64, since: RedoPoint, _ change: (inout Entry) -> Void
    ) {
        let id = Self.bucketID(of: number)
        let growth = entries[number, default: Entry()].update(change)
        if buckets[id] == nil {
            buckets[id] = Bucket(since: since)
            queue.append(Waiting(id: id, since: since))
        }
        if buckets[id]?.add(growth, of: number) == true { full.append(id) }
        count += growth.rows
        bytes += growth.bytes
    }

    /// Drops the row of an instance, and what else `change` drops. Its entry stays until its bucket
    /// is written back.
    private mutating func drop(_ number: Int64, _ change: (inout Entry) -> Void = { _ in }) {
        guard entries[number] != nil else { return }
        let growth = entries[number, default: Entry()].update {
            $0.row = []
            change(&$0)
        }
        _ = buckets[Self.bucketID(of: number)]?.add(growth, of: number)
        count += growth.rows
        bytes += growth.bytes
    }

    // MARK: Writing back

    /// Chooses the buckets that a commit writes back: full ones, and the oldest ones.
    ///
    /// A commit that grows the journal's end, or the memory, by some part of the room left within
    /// the bounds writes back the same part of all rows. So the rate follows the load, has no
    /// bursts, and the bounds hold.
    mutating func chooseBuckets(for writes: borrowing WriteSet) -> [BucketID] {
        removeWritten()
        var chosen = full
        guard queueStart < queue.count else {
            owed = 0
            return chosen
        }
        let steps = Double(writes.journalEnds.count)
        let journal = Double(writes.journal.count)
        let memory = Double(
            writes.snapshots.count + writes.instances.count * Entry.overhead
                + writes.dedups.count * Entry.dedupOverhead)
        let head = writes.firstSequence - 1
        var remaining = Double(bytes)
        /// The part of the bounds that is used after the commit if `since` is the oldest point.
        func fill(_ since: RedoPoint) -> Double {
            max(
                (Double(head - since.step) + steps) / Double(bounds.steps),
                (Double(journalBytes - since.byte) + journal) / Double(bounds.bytes),
                (remaining + memory) / Double(bounds.bytes))
        }
        let growth = max(
            steps / Double(bounds.steps), max(journal, memory) / Double(bounds.bytes))
        let room = max(1 - fill(queue[queueStart].since), growth / 8, .leastNormalMagnitude)
        owed = min(owed + growth / room * Double(count), Double(count))
        var isChosen = Set(chosen)
        for waiting in queue[queueStart...] where isWaiting(waiting) {
            guard isChosen.insert(waiting.id).inserted, let bucket = buckets[waiting.id] else {
                continue
            }
            guard owed >= Double(bucket.rows) || fill(waiting.since) > 1 else { break }
            owed = max(0, owed - Double(bucket.rows))
            remaining -= Double(bucket.bytes)
            chosen.append(waiting.id)
        }
        return chosen
    }

    /// The oldest buckets, with about `rows` rows.
    mutating func oldestBuckets(rows: Int) -> [BucketID] {
        removeWritten()
        var chosen: [BucketID] = []
        var room = rows
        for waiting in queue[queueStart...] where room > 0 && isWaiting(waiting) {
            chosen.append(waiting.id)
            room -= max(1, buckets[waiting.id]?.rows ?? 0)
        }
        return chosen
    }

    /// Calls `body` for each instance in some buckets in the order of numbers, which is the order
    /// of their pages.
    ///
    /// - Parameter body: Receives the number, the bytes of the row (empty if it isn't behind), the
    ///   count of those that are the name, and the dedup entries by key.
    func forEachEntry<Failure>(
        of ids: [BucketID],
        _ body: (InstanceNumber, [UInt8], Int, [[UInt8]: DedupEntry]) throws(Failure) -> Void
    ) throws(Failure) {
        for id in ids.sorted() {
            for number in (buckets[id]?.numbers ?? []).sorted() {
                guard let entry = entries[number] else { continue }
                try body(InstanceNumber(number), entry.row, entry.nameBytes, entry.dedups)
            }
        }
    }

    /// Removes buckets whose rows are written and durable.
    mutating func remove(_ ids: [BucketID]) {
        for id in ids {
            guard let bucket = buckets.removeValue(forKey: id) else { continue }
            for number in bucket.numbers { entries[number] = nil }
            count -= bucket.rows
            bytes -= bucket.bytes
        }
        if !full.isEmpty { full.removeAll { buckets[$0] == nil } }
        removeWritten()
    }

    /// Drops the beginning of the queue that was written back out of turn.
    private mutating func removeWritten() {
        while queueStart < queue.count, !isWaiting(queue[queueStart]) { queueStart += 1 }
        if 2 * queueStart >= queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
    }
}

extension PendingRows {
    private struct Waiting {
        let id: BucketID
        let since: RedoPoint
    }

    /// The rows of one instance.
    private struct Entry {
        /// Its name and its encoded snapshot; empty if its row of `instances` isn't behind.
        var row: [UInt8] = []
        var nameBytes = 0
        var dedups: [[UInt8]: DedupEntry] = [:]

        /// Whether its number is in its bucket.
        private var isListed = false

        /// Estimated bytes of an entry besides its row, in all tables.
        static let overhead = 192

        /// Estimated bytes of a dedup entry with a key of the usual length.
        static let dedupOverhead = 256

        mutating func setRow(name: some Collection<UInt8>, snapshot: some Collection<UInt8>) {
            row.removeAll(keepingCapacity: true)
            row.append(contentsOf: name)
            nameBytes = row.count
            row.append(contentsOf: snapshot)
        }

        private var rows: Int { (row.isEmpty ? 0 : 1) + dedups.count }

        private var bytes: Int { row.capacity + dedups.count * Entry.dedupOverhead }

        /// Changes it, and returns by how much it grows.
        mutating func update(_ change: (inout Entry) -> Void) -> Growth {
            let (rowsBefore, bytesBefore) = (rows, bytes)
            change(&self)
            let isNew = !isListed
            isListed = true
            return Growth(
                isNew: isNew, rows: rows - rowsBefore,
                bytes: bytes - bytesBefore + (isNew ? Entry.overhead : 0))
        }
    }

    /// The change of an entry.
    private struct Growth {
        var isNew: Bool
        var rows: Int
        var bytes: Int
    }

    private struct Bucket {
        /// Its rows hold all steps up to here.
        var since: RedoPoint
        /// The numbers of its instances.
        var numbers: [Int64] = []
        var rows = 0
        var bytes = 0
        private var isFull = false

        init(since: RedoPoint) { self.since = since }

        /// Counts the change of an entry. Returns whether the bucket becomes full.
        mutating func add(_ growth: Growth, of number: Int64) -> Bool {
            if growth.isNew { numbers.append(number) }
            rows += growth.rows
            bytes += growth.bytes
            guard !isFull, rows >= StoreLimits.bucketRowsMax else { return false }
            isFull = true
            return true
        }
    }
}
