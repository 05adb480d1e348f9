/// The part of a batch that is about effects: effects to settle before the commit, and all that
/// the commit releases. Lost with the batch, but for the reports, which come again.
struct EffectWork {
    /// The effects to settle in this batch with their owners, and whether they come from the
    /// ``EffectSchedule/lost``. The store finds again those that a batch leaves.
    var agenda: [(ref: EffectRef, owner: String, isLost: Bool)] = []
    /// The number of settled effects, from the front of ``agenda``.
    var done = 0
    /// Effects whose handlers start after the commit.
    var ready: [(ref: EffectRef, row: StoredEffect)] = []
    /// Effects whose handlers stop after the commit.
    var cancellations: [EffectRef] = []
    /// The reports of handlers in this batch.
    var reports: [EffectReport] = []
    /// The answers to those reports, and whether each was applied.
    var answers: [(answer: @Sendable (Bool) -> Void, wasApplied: Bool)] = []
    /// Effects whose last report is in this batch.
    var finished: [EffectRef] = []
    /// The answers to waiting requests that the commit makes true.
    var released: [(waiter: WaiterTable.Waiter, reply: Reply)] = []
    private var notes: [[UInt8]] = []

    /// Adds a change of an effect to the record that is being made.
    mutating func note(_ note: [UInt8]) { notes.append(note) }

    /// Removes and returns the changes since the last record.
    mutating func takeNotes() -> [[UInt8]] {
        guard !notes.isEmpty else { return [] }
        defer { notes = [] }
        return notes
    }

    /// Removes the next effect from the agenda.
    mutating func next() -> (ref: EffectRef, owner: String)? {
        guard done < agenda.count else { return nil }
        defer { done += 1 }
        return (agenda[done].ref, agenda[done].owner)
    }

    /// Effects of the ``EffectSchedule/lost`` that the batch had no time for.
    var undoneLost: [(ref: EffectRef, owner: String)] {
        if done == agenda.count { return [] }
        return agenda[done...].filter(\.isLost).map { (ref: $0.ref, owner: $0.owner) }
    }

    /// Removes everything after a commit.
    mutating func removeAll() {
        agenda.removeAll()
        done = 0
        ready.removeAll()
        cancellations.removeAll()
        answers.removeAll()
        reports.removeAll()
        finished.removeAll()
        released.removeAll()
    }
}
