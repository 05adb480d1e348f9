/// The part of a batch that is about effects: the due effects to apply before the commit, and all
/// that the commit releases. Lost with the batch, except for the reports, which come again.
struct EffectWork {
    /// The due effects of this batch with their owners, and whether they come from the
    /// ``EffectSchedule/lost``. The store finds again those that a batch leaves.
    var due: [(ref: EffectRef, owner: String, isLost: Bool)] = []
    /// The number of applied effects, from the front of ``due``.
    var done = 0
    /// Effects that wait for handlers from this commit on, with their owners.
    var ready: [(row: StoredEffect, owner: InstanceName)] = []
    var cancellations: [EffectRef] = []
    var reports: [EffectReport] = []
    var answers: [(answer: @Sendable (Bool) -> Void, wasApplied: Bool)] = []
    /// Effects whose last report is in this batch.
    var finished: [EffectRef] = []
    /// The answers to waiting requests that the commit makes true.
    var released: [(waiter: WaiterTable.Waiter, reply: Reply)] = []
    private var records: [[UInt8]] = []

    /// Adds a change of an effect to the next journal record.
    mutating func record(_ record: consuming EffectRecord) { records.append(record.closed()) }

    /// Removes and returns the changes since the last journal record.
    mutating func removeRecords() -> [[UInt8]] {
        guard !records.isEmpty else { return [] }
        defer { records = [] }
        return records
    }

    /// Dequeues the next due effect.
    mutating func next() -> (ref: EffectRef, owner: String)? {
        guard done < due.count else { return nil }
        defer { done += 1 }
        return (due[done].ref, due[done].owner)
    }

    /// Effects of the ``EffectSchedule/lost`` that the batch had no time for.
    var undoneLost: [(ref: EffectRef, owner: String)] {
        if done == due.count { return [] }
        return due[done...].filter(\.isLost).map { (ref: $0.ref, owner: $0.owner) }
    }

    mutating func removeAll() {
        due.removeAll()
        done = 0
        ready.removeAll(keepingCapacity: ready.count <= Limits.keptEffectWritesMax)
        cancellations.removeAll()
        answers.removeAll()
        reports.removeAll(keepingCapacity: reports.count <= Limits.keptEffectWritesMax)
        finished.removeAll(keepingCapacity: finished.count <= Limits.keptEffectWritesMax)
        released.removeAll()
    }
}
