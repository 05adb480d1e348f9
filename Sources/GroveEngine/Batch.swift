/// Everything taken since the last commit: what must be written, and what may be told once it is.
///
/// A batch can't be copied, and its actions come out of it in two ways only: by committing its
/// writes, or by giving them up, which turns every answer that relied on them into a refusal. So
/// no answer can leave before the commit that it speaks of.
struct Batch: ~Copyable {
    /// What is to be written.
    var writes: WriteSet

    /// The replies in the order the requests were taken.
    private(set) var replies: [Actions.ReplyTo] = []

    /// For each reply, whether it speaks of something that only this batch's commit makes true.
    private var needCommit: [Bool] = []

    /// The requests that read what this batch made, with the places of their replies.
    private var reads: [(place: Int, request: Request)] = []

    /// The steps of the batch with the states before them, for subscribers; empty while there
    /// are none.
    var steps: [PublishedStep] = []

    /// How many selections of subscriptions those steps are to be held against.
    var selections = 0

    /// Instances that the batch deleted: of their steps only the end is published.
    var unpublished: Set<InstanceNumber> = []

    /// A batch of nothing yet.
    init(writes: WriteSet) { self.writes = writes }

    /// Bytes of the replies that carry states or pages.
    private var replyBytes = 0

    /// About how many bytes of memory the batch holds.
    var bytes: Int {
        writes.journal.count + writes.snapshots.count + writes.effectBytes + replyBytes
    }

    /// Begins the next batch, with the memory of the one before.
    mutating func begin(at firstSequence: JournalPosition) {
        writes.removeAll(firstSequence: firstSequence)
        // The replies themselves have moved on to the connections.
        let expected = replies.count
        replies = []
        replies.reserveCapacity(expected)
        needCommit.removeAll(keepingCapacity: true)
        replyBytes = 0
        reads.removeAll()
        steps = []
        selections = 0
        unpublished = []
    }

    /// Forgets what is to be written, and keeps the replies.
    ///
    /// - Precondition: None of them relies on the commit.
    mutating func forgetWrites(at firstSequence: JournalPosition) {
        precondition(!needCommit.contains(true), "a reply speaks of what is forgotten")
        writes.removeAll(firstSequence: firstSequence)
        steps = []
        selections = 0
        unpublished = []
    }

    /// Holds a reply until the batch ends.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - needsCommit: Whether it speaks of something that only the commit makes true.
    ///   - request: The request, which is answered anew if the batch is given up and it only
    ///     reads.
    mutating func hold(
        _ reply: Actions.ReplyTo, needsCommit: Bool, to request: borrowing Request
    ) {
        if needsCommit, request.operation.isRead { reads.append((replies.count, copy request)) }
        replies.append(reply)
        needCommit.append(needsCommit)
        replyBytes += reply.reply.stateBytes
    }

    /// Commits the writes and hands out the replies.
    ///
    /// - Throws: what the store threw; the batch is then still here, for
    ///   ``giveUp(_:head:answer:)``.
    mutating func commit(
        to store: any Store
    ) throws(StoreError) -> (replies: [Actions.ReplyTo], steps: [PublishedStep]) {
        if !writes.isEmpty { try store.commit(writes) }
        guard !unpublished.isEmpty else { return (replies, steps) }
        return (replies, steps.filter { !unpublished.contains($0.record.number) })
    }

    /// Gives the writes up because nothing of them was written.
    ///
    /// - Parameters:
    ///   - refusal: What those are told who relied on them.
    ///   - head: The head of what is committed.
    ///   - answer: Answers a request that only reads, from what is committed; `nil` when its answer
    ///     comes later.
    consuming func giveUp(
        _ refusal: Failure, head: JournalPosition, answer: (Request) -> Reply?
    ) -> [Actions.ReplyTo] {
        var replies: [Actions.ReplyTo?] = zip(replies, needCommit).map { reply, needsCommit in
            var to = reply
            if needsCommit {
                to.reply = .failure(refusal)
            } else if case .subscribed(let name, let current, let first) = to.reply {
                let held = min(current, Cursor(sequence: head))
                to.reply = .subscribed(name, current: held, first: first)
            }
            return to
        }
        for (place, request) in reads {
            if let reply = answer(request) {
                replies[place]?.reply = reply
            } else {
                replies[place] = nil
            }
        }
        return replies.compactMap { $0 }
    }
}

extension Operation {
    /// Whether it changes nothing and asks for what is stored.
    fileprivate var isRead: Bool {
        switch self {
        case .get, .list, .history, .effects, .can: true
        case .cancel, .retry, .complete, .await, .send, .batch, .create, .subscribe,
            .unsubscribe, .credit, .stop, .delete, .definitions, .describe, .importing, .backup,
            .suspend, .resume, .stats:
            false
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
