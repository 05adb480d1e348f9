import CPrefetch
import GroveEngine

/// The rows of `instances`, `effects` and `dedup` that are behind the journal, as they are to be
/// written.
///
/// A commit writes its journal steps. The rows that follow from them are written back by later
/// commits, so that each page carries many changes. After a crash, ``JournalRedo`` makes these rows
/// again from the end of the journal: each bucket when it is first needed, and the others in turns
/// and with commits. ``RedoBounds`` bound that end, and the memory taken here.
final class PendingRows {
    let bounds: RedoBounds

    // Unchecked: one queue uses them, and no access runs code that could come back here. So none
    // overlap, and several checks per row would find nothing.
    @exclusivity(unchecked) private var buckets = BucketIndex()
    /// Retains each bucket for as long as `buckets` has it.
    @exclusivity(unchecked) private var queue = BucketQueue()
    /// Buckets with ``StoreLimits/bucketRowsMax`` rows: the next commit writes them back, whatever
    /// their age.
    @exclusivity(unchecked) private var full: [RowBucket] = []
    /// Rows to write back with the next commits: a commit's share is a fraction of a bucket.
    @exclusivity(unchecked) private var owed = 0.0
    /// The bucket whose group is written next, and the group's rows. Until these are owed, they
    /// aren't counted again: each lone commit would count them.
    @exclusivity(unchecked) private var nextGroup: (id: RowBucket.ID, rows: Double)?

    /// Rows that are added next, with their buckets, which ``queue`` retains.
    @exclusivity(unchecked) private var ahead:
        [(bucket: Unmanaged<RowBucket>, instance: WriteSet.InstanceWrite)] = []

    /// The number of rows that are behind.
    @exclusivity(unchecked) private(set) var count = 0

    /// The number of effects among them.
    @exclusivity(unchecked) private(set) var effectCount = 0

    /// The buckets with effects, as long as all of these are made.
    @exclusivity(unchecked) private var withEffects: Set<RowBucket.ID> = []

    /// Counted bytes of all rows.
    @exclusivity(unchecked) private(set) var bytes = 0

    /// Bytes of the journal's steps since the file was opened, and of those after the redo point
    /// then.
    @exclusivity(unchecked) private(set) var journalBytes: Int64

    /// The end of the journal from which some rows are still to be made; `nil` when all are here.
    @exclusivity(unchecked) private var redo: JournalRedo?

    /// The steps from which rows are still to be made.
    @exclusivity(unchecked) private(set) var unmadeSteps = 0

    /// The steps from which commits make rows while they use up the bounds once; `nil` before the
    /// first commit.
    @exclusivity(unchecked) private var stepsMadePerBounds: Double?

    /// Instances whose rows can't be made. Reads of them fail, and their buckets are never written.
    private var failures: [Int64: StoreError] = [:]

    /// - Parameter redo: The end of the journal of a file that was just opened.
    init(bounds: RedoBounds, redo: JournalRedo? = nil) {
        self.bounds = bounds
        guard let redo, !redo.isEmpty else {
            journalBytes = redo?.journalBytes ?? 0
            return
        }
        self.redo = redo
        journalBytes = redo.journalBytes
        for (bucket, steps) in redo.buckets {
            bucket.unmadeSteps = steps
            buckets[bucket.id] = bucket
            queue.appendUnmade(bucket)
            unmadeSteps += steps
            count += bucket.count
            bytes += bucket.bytes
        }
    }

    // MARK: Reading

    /// The instance as its row will say, or `nil` when its row isn't behind.
    ///
    /// - Throws: `.corrupt` when the row can't be made from the journal.
    func instance(
        _ number: InstanceNumber, named name: InstanceName
    ) throws(StoreError) -> StoredInstance? {
        guard let bucket = try madeSoundly(number) else { return nil }
        return try bucket.withRow(of: number.value) { (_, snapshot) throws(StoreError) in
            try StoredInstance(decoding: snapshot, number: number, name: name)
        }
    }

    func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry? {
        try made(number)?.dedup(number.value, key: key)
    }

    /// The bucket of an instance, with its rows; `nil` if none of its rows is behind.
    ///
    /// - Throws: `.corrupt` when the rows of the instance can't be made.
    func madeSoundly(_ number: InstanceNumber) throws(StoreError) -> RowBucket? {
        guard let bucket = try made(number) else { return nil }
        if let failure = failures[number.value] { throw failure }
        return bucket
    }

    /// The bucket of an instance; `nil` if none of its rows is behind.
    func bucket(of number: InstanceNumber) -> RowBucket? { buckets[RowBucket.id(of: number.value)] }

    /// The bucket of an instance, if it has effects. A commit has made its rows before.
    func bucketOfEffects(_ number: InstanceNumber) -> RowBucket? {
        buckets[RowBucket.id(of: number.value)].flatMap { $0.effects.isEmpty ? nil : $0 }
    }

    /// The buckets with effects, of an instance and of later ones, in order.
    ///
    /// - Throws: `.corrupt` when a step is damaged.
    func effectBuckets(from number: InstanceNumber?) throws(StoreError) -> [RowBucket] {
        if let redo {
            for id in redo.bucketsWithEffects {
                if let bucket = buckets[id] { try make(bucket) }
            }
        }
        guard !withEffects.isEmpty else { return [] }
        let first = number.map { RowBucket.id(of: $0.value) } ?? .min
        return withEffects.filter { $0 >= first }.sorted().compactMap { buckets[$0] }
    }

    // MARK: Making rows after opening

    /// The bucket of an instance, with its rows; `nil` if none of its rows is behind.
    @discardableResult
    private func made(_ number: InstanceNumber) throws(StoreError) -> RowBucket? {
        guard let bucket = buckets[RowBucket.id(of: number.value)] else { return nil }
        if bucket.isUnmade { try make(bucket) }
        return bucket.isWritten ? nil : bucket
    }

    /// Makes the rows of a bucket. From then on it has the age of the first step that they lack. If
    /// they lack none, it leaves.
    private func make(_ bucket: RowBucket) throws(StoreError) {
        var room = Int.max
        try make(bucket, room: &room)
    }

    /// Does the same from about as many steps as there is room for. The bucket stays as it is until
    /// all of its rows are made.
    ///
    /// - Parameter room: Becomes smaller by the number of steps.
    private func make(_ bucket: RowBucket, room: inout Int) throws(StoreError) {
        guard bucket.isUnmade, let redo else { return }
        var rows: [BucketRedo.Rows] = []
        guard try redo.make(bucket.id, room: &room, { rows.append($0) }) else { return }
        count -= bucket.unmadeSteps
        unmadeSteps -= bucket.unmadeSteps
        bucket.unmadeSteps = 0
        nextGroup = nil
        var since: RedoPoint?
        for instance in rows {
            failures[instance.number.value] = instance.failure
            put(instance)
            // A row that can't be made lacks all steps.
            guard let first = instance.failure == nil ? instance.since : bucket.since else {
                continue
            }
            if since.map({ first.step < $0.step }) ?? true { since = first }
        }
        if let since {
            bucket.since = since
            queue.insertMade(bucket)
        } else {
            remove([bucket])
        }
        if redo.isEmpty { self.redo = nil }
    }

    private func put(_ rows: BucketRedo.Rows) {
        let number = rows.number.value
        if let instance = rows.instance {
            let name = Array(instance.name.text.utf8)
            var snapshot: [UInt8] = []
            instance.encode(into: &snapshot)
            name.withUnsafeBufferPointer { name in
                snapshot.withUnsafeBufferPointer { snapshot in
                    put(number, name: name, snapshot: snapshot, since: RedoPoint(step: 0))
                }
            }
        }
        for dedup in rows.dedups {
            put(dedup.entry, key: dedup.key, of: number, since: RedoPoint(step: 0))
        }
        for effect in rows.effects { put(effect, since: RedoPoint(step: 0)) }
    }

    /// Makes rows from about `steps` steps. Returns whether more are to be made.
    ///
    /// - Throws: `.corrupt` when a row can't be made; the file can't be used any further.
    func makeSome(steps: Int) throws(StoreError) -> Bool {
        guard redo != nil else { return false }
        var room = steps
        while room > 0, let bucket = queue.firstUnmade {
            try make(bucket, room: &room)
            queue.removePassed()
        }
        if let failure = failures.values.first { throw failure }
        return redo != nil
    }

    /// Makes a commit's share of the rows that opening the file has left.
    ///
    /// Until the rows are made it isn't known how old they are. So all are made before half of the
    /// room is used that the first commit found within the bounds. Then rows are written back as if
    /// there had been no crash.
    ///
    /// - Throws: As ``makeSome(steps:)``.
    func makeShare(for writes: borrowing WriteSet) throws(StoreError) {
        guard redo != nil, let oldest = queue.firstUnmade?.since else { return }
        let growth = Growth(writes)
        let part = growth.part(of: bounds)
        guard part > 0 else { return }
        let filled = growth.fill(bounds, since: oldest, journalBytes: journalBytes, bytes: bytes)
        let pace = stepsMadePerBounds ?? Double(unmadeSteps) / max((1 - filled) / 2, part)
        stepsMadePerBounds = pace
        let share = min(part * pace, Double(unmadeSteps))
        let most = max(
            StoreLimits.redoneStepsPerCommit,
            StoreLimits.redoneStepsPerStep * writes.journalEnds.count)
        _ = try makeSome(steps: min(Int(share.rounded(.up)), most))
    }

    /// Makes the rows that a commit writes back or changes.
    ///
    /// - Throws: `.corrupt` when a row that is to be written back can't be made.
    func prepare(_ chosen: [RowBucket], for writes: borrowing WriteSet) throws(StoreError) {
        guard redo != nil || !failures.isEmpty else { return }
        try prepare(chosen)
        for instance in writes.instances { try made(instance.number) }
        for deletion in writes.deletions { try made(deletion.number) }
        for dedup in writes.dedups { try made(dedup.number) }
        for effect in writes.effects { try made(effect.ref.instance) }
    }

    /// Makes the rows that are to be written back.
    func prepare(_ chosen: [RowBucket]) throws(StoreError) {
        guard redo != nil || !failures.isEmpty else { return }
        for bucket in chosen {
            try make(bucket)
            let failure = failures.first { RowBucket.id(of: $0.key) == bucket.id }
            if let failure { throw failure.value }
        }
    }

    /// The point up to which the rows hold all steps once some buckets are written back; `nil` if
    /// no other row is behind.
    func redoPoint(without written: [RowBucket] = []) -> RedoPoint? {
        let written = Set(written.map(\.id))
        return queue.oldestFirst().first { !written.contains($0.id) }?.since
    }

    // MARK: Adding

    /// Whether the row of an instance is written after its commit. That of a large snapshot isn't,
    /// because a bucket of these would be a long commit.
    static func isPostponed(_ instance: WriteSet.InstanceWrite) -> Bool {
        instance.followsFromJournal
            && instance.snapshot.count <= StoreLimits.postponedSnapshotBytesMax
    }

    /// The bytes for which a commit counts within the bound of the steps that a start redoes.
    private static func redoneBytes(_ writes: borrowing WriteSet) -> Int64 {
        Int64(writes.journal.count + writes.effects.count * StoreLimits.redoneEffectBytes)
    }

    /// Adds the rows that a durable commit didn't write, and drops those that it wrote or removed.
    ///
    /// - Parameter written: As ``instancesToWrite(_:writingBack:)`` returned it.
    func add(_ writes: borrowing WriteSet, written: Set<InstanceNumber>) {
        let since = RedoPoint(step: writes.firstSequence - 1, byte: journalBytes)
        journalBytes += Self.redoneBytes(writes)
        var deleted: Set<InstanceNumber> = []
        for deletion in writes.deletions {
            drop(deletion.number.value, isDeleted: true)
            deleted.insert(deletion.number)
        }
        for number in written { drop(number.value, isDeleted: false) }
        for start in stride(from: 0, to: writes.instances.count, by: StoreLimits.rowsAhead) {
            let end = min(start + StoreLimits.rowsAhead, writes.instances.count)
            for instance in writes.instances[start..<end]
            where deleted.isEmpty || !deleted.contains(instance.number) {
                if !Self.isPostponed(instance) {
                    drop(instance.number.value, isDeleted: false)
                } else if written.isEmpty || !written.contains(instance.number) {
                    foresee(instance, since: since)
                }
            }
            putAhead(writes.snapshots)
        }
        for dedup in writes.dedups
        where dedup.followsFromJournal && !deleted.contains(dedup.number) {
            put(dedup.entry, key: dedup.key, of: dedup.number.value, since: since)
        }
        for effect in writes.effects where !written.contains(effect.ref.instance) {
            if let row = effect.row {
                put(row, since: since)
            } else if !effect.isNew, let bucket = bucketOfEffects(effect.ref.instance) {
                change(bucket) { $0.dropEffect(effect.ref) }
            }
        }
    }

    /// Adds an instance to those of ``putAhead(_:)``, and asks for the memory of its bucket.
    private func foresee(_ instance: WriteSet.InstanceWrite, since: RedoPoint) {
        let number = instance.number.value
        let bucket =
            buckets.unretained(RowBucket.id(of: number))
            ?? Unmanaged.passUnretained(self.bucket(of: number, since: since))
        grove_prefetch_all(bucket.toOpaque(), RowBucket.objectBytes)
        ahead.append((bucket, instance))
    }

    /// Sets the rows of some instances: at random among many, each is in memory of its own. So all
    /// are taken one step further towards it, and then the next step, instead of one after the
    /// other, waiting at each step.
    private func putAhead(_ snapshots: [UInt8]) {
        for (bucket, _) in ahead { bucket._withUnsafeGuaranteedRef { $0.prefetchCounts() } }
        for (bucket, instance) in ahead {
            bucket._withUnsafeGuaranteedRef { $0.prefetchPlace(of: instance.number.value) }
        }
        for (bucket, instance) in ahead {
            bucket._withUnsafeGuaranteedRef { $0.prefetchRow(of: instance.number.value) }
        }
        snapshots.withUnsafeBufferPointer { pool in
            for (bucket, instance) in ahead {
                change(bucket.takeUnretainedValue()) {
                    $0.setRow(
                        of: instance.number.value, name: .init(rebasing: pool[instance.name]),
                        snapshot: .init(rebasing: pool[instance.snapshot]))
                }
            }
        }
        ahead.removeAll(keepingCapacity: true)
    }

    private func put(_ effect: StoredEffect, since: RedoPoint) {
        let number = effect.ref.instance.value
        change(bucket(of: number, since: since)) { $0.setEffect(effect) }
    }

    private func put(
        _ number: Int64, name: UnsafeBufferPointer<UInt8>, snapshot: UnsafeBufferPointer<UInt8>,
        since: RedoPoint
    ) {
        change(bucket(of: number, since: since)) {
            $0.setRow(of: number, name: name, snapshot: snapshot)
        }
    }

    private func put(_ dedup: DedupEntry, key: [UInt8], of number: Int64, since: RedoPoint) {
        change(bucket(of: number, since: since)) { $0.setDedup(dedup, key: key, of: number) }
    }

    private func drop(_ number: Int64, isDeleted: Bool) {
        guard let bucket = buckets[RowBucket.id(of: number)] else { return }
        nextGroup = nil
        // The bucket stays until it is written back, even without rows.
        change(bucket) { $0.drop(number, isDeleted: isDeleted) }
    }

    private func bucket(of number: Int64, since: RedoPoint) -> RowBucket {
        let id = RowBucket.id(of: number)
        if let bucket = buckets[id] { return bucket }
        let bucket = RowBucket(id: id, since: since)
        buckets[id] = bucket
        queue.append(bucket)
        bytes += bucket.bytes
        return bucket
    }

    /// Changes a bucket, and counts by how much it grows.
    private func change(_ bucket: RowBucket, _ change: (RowBucket) -> Void) {
        let (rowsBefore, bytesBefore) = (bucket.count, bucket.bytes)
        let effectsBefore = bucket.effects.count
        change(bucket)
        let rows = bucket.count
        let effects = bucket.effects.count
        if effects != effectsBefore {
            effectCount += effects - effectsBefore
            if effects == 0 { withEffects.remove(bucket.id) }
            if effectsBefore == 0 { withEffects.insert(bucket.id) }
        }
        count += rows - rowsBefore
        bytes += bucket.bytes - bytesBefore
        if rows >= StoreLimits.bucketRowsMax, !bucket.isFull {
            bucket.isFull = true
            full.append(bucket)
        }
    }

    // MARK: Writing back

    /// By how much a commit fills the bounds.
    private struct Growth {
        private let head: JournalPosition
        private let steps: Double
        private let journal: Double
        private let memory: Double
        /// Buffers may double, and each row may begin a bucket.
        private let memoryMax: Double

        init(_ writes: borrowing WriteSet) {
            head = writes.firstSequence - 1
            steps = Double(writes.journalEnds.count)
            journal = Double(PendingRows.redoneBytes(writes))
            memory = Double(
                writes.snapshots.count + writes.instances.count * RowBucket.rowOverhead
                    + writes.dedups.count * RowBucket.dedupOverhead + writes.effectBytes)
            memoryMax = 2 * memory + Double(writes.instances.count * RowBucket.overhead)
        }

        /// The part of the bounds that it takes.
        func part(of bounds: RedoBounds) -> Double {
            max(steps / Double(bounds.steps), max(journal, memory) / Double(bounds.bytes))
        }

        /// The part of the bounds that is used after the commit.
        ///
        /// - Parameters:
        ///   - since: The point that is to be the oldest one.
        ///   - journalBytes: As ``PendingRows/journalBytes``, without the commit.
        ///   - bytes: Those of all rows, without its own.
        func fill(
            _ bounds: RedoBounds, since: RedoPoint, journalBytes: Int64, bytes: Int
        ) -> Double {
            max(
                (Double(head - since.step) + steps) / Double(bounds.steps),
                (Double(journalBytes - since.byte) + journal) / Double(bounds.bytes),
                (Double(bytes) + memoryMax) / Double(bounds.bytes))
        }
    }

    /// Chooses the buckets that a commit writes back: full ones, and the oldest ones.
    ///
    /// A commit that grows the journal's end, or the memory, by some part of the room left within
    /// the bounds writes back a part of all rows: the same part when the bounds are reached, and
    /// much less before, so that rows wait and carry many steps. So the rate follows the load, has
    /// no bursts, and the bounds hold.
    func chooseBuckets(for writes: borrowing WriteSet) -> [RowBucket] {
        queue.removePassed()
        var chosen = full
        guard let oldest = queue.oldest(skipsUnmade: true) else {
            owed = 0
            return chosen
        }
        let growth = Growth(writes)
        var remaining = bytes
        func fill(_ since: RedoPoint) -> Double {
            growth.fill(bounds, since: since, journalBytes: journalBytes, bytes: remaining)
        }
        let part = growth.part(of: bounds)
        let filled = min(1, fill(oldest.since))
        let room = max(1 - filled, part / 8, .leastNormalMagnitude)
        let eagerness = filled * filled * filled * filled
        let rowsBehind = Double(count - unmadeSteps)
        owed = min(owed + part / room * eagerness * rowsBehind, rowsBehind)
        var groups: Set<RowBucket.ID> = []
        for bucket in queue.oldestFirst(skipsUnmade: true) {
            let isDue = fill(bucket.since) > 1
            guard owed > 0 || isDue else { break }
            if let next = nextGroup, next.id == bucket.id, owed < next.rows, !isDue { break }
            let group = group(of: bucket)
            if group.count > 1, !groups.insert(Self.group(of: bucket)).inserted { continue }
            let rows = Double(group.reduce(0) { $0 + $1.count })
            guard owed >= rows || isDue else {
                nextGroup = (bucket.id, rows)
                break
            }
            owed = max(0, owed - rows)
            for bucket in group where !bucket.isFull {
                remaining -= bucket.bytes
                chosen.append(bucket)
            }
        }
        return chosen
    }

    private static func group(of bucket: RowBucket) -> Int64 {
        bucket.id >> StoreLimits.groupBits
    }

    /// A bucket and the waiting ones next to it, in the order of numbers. Their pages are adjacent,
    /// and a bucket's rows begin and end within pages, so that each bucket alone would write up to
    /// twice as many. Large ones have several pages and are written alone.
    private func group(of bucket: RowBucket) -> [RowBucket] {
        let bytesMax = StoreLimits.groupedBucketBytesMax
        if bucket.bytes > bytesMax { return [bucket] }
        let first = Self.group(of: bucket) << StoreLimits.groupBits
        return (first..<first + 1 << StoreLimits.groupBits).compactMap { id in
            buckets[id].flatMap { $0.bytes <= bytesMax && !$0.isUnmade ? $0 : nil }
        }
    }

    /// The oldest buckets, with about `rows` rows.
    func oldestBuckets(rows: Int) -> [RowBucket] {
        queue.removePassed()
        var chosen: [RowBucket] = []
        var room = rows
        for bucket in queue.oldestFirst() {
            guard room > 0 else { break }
            chosen.append(bucket)
            room -= max(1, bucket.count)
        }
        return chosen
    }

    /// Removes buckets whose rows are written and durable.
    func remove(_ written: [RowBucket]) {
        if !written.isEmpty { nextGroup = nil }
        for bucket in written where !bucket.isWritten {
            buckets[bucket.id] = nil
            count -= bucket.count
            bytes -= bucket.bytes
            if !bucket.effects.isEmpty {
                effectCount -= bucket.effects.count
                withEffects.remove(bucket.id)
            }
            bucket.markWritten()
        }
        if !full.isEmpty { full.removeAll(where: \.isWritten) }
        queue.removePassed()
    }
}
