/// Everything taken since the last commit: what must be written, and what may be told once it is.
///
/// A batch can't be copied, and its actions come out of it in two ways only: by committing its
/// writes, or by giving them up, which turns every answer that relied on them into a refusal. So
/// no answer can leave before the commit that it speaks of.
struct Batch: ~Copyable {
    /// A reply that waits.
    struct Held {
        var to: Actions.ReplyTo
        /// Whether it speaks of something that only this batch's commit makes true.
        var needsCommit: Bool
    }

    /// What is to be written.
    var writes: WriteSet

    /// The replies in the order the requests were taken.
    var replies: [Held] = []

    /// The steps of the batch with the states before them, for subscribers; empty while there
    /// are none.
    var steps: [PublishedStep] = []

    /// Commits the writes and hands out the replies.
    ///
    /// - Throws: what the store threw; the batch is then still here, for ``giveUp(head:)``.
    mutating func commit(
        to store: any Store
    ) throws(StoreError) -> (replies: [Actions.ReplyTo], steps: [PublishedStep]) {
        if !writes.isEmpty { try store.commit(writes) }
        return (replies.map(\.to), steps)
    }

    /// Gives the writes up because the disk is full and nothing of them was written.
    consuming func giveUp(head: JournalPosition) -> [Actions.ReplyTo] {
        replies.map { held in
            var to = held.to
            if held.needsCommit {
                to.reply = .failure(.storageFull)
            } else if case .subscribed(let name, let current, let first) = to.reply {
                let held = min(current, Cursor(sequence: head))
                to.reply = .subscribed(name, current: held, first: first)
            }
            return to
        }
    }
}

/// A step on its way to subscribers.
struct PublishedStep {
    var record: JournalRecord
    /// The state before it; `nil` for a creation.
    var before: [UInt8]?
    /// The state after it.
    var after: [UInt8]
}
