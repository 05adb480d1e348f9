import GroveWire
import Transducers

/// Everything since the last commit: the writes, and all that is lost if they can't be committed.
///
/// A batch can't be copied. ``Engine/seal(at:settling:store:)`` takes it out of the engine, and
/// ``Engine/settle(_:as:at:store:)`` consumes it: into the answers and records that its commit
/// makes true, or into refusals. So no answer can leave before the commit that it depends on.
///
/// A new field that a batch can lose belongs here, or into ``EffectWork``. Then one function
/// forgets it (``removeAll(head:lastNumber:)``), and one undoes it (``Engine/undo(lastNumber:)``).
struct Batch: ~Copyable {
    /// The rows to write.
    var writes: WriteSet { didSet { hasWritten = true } }

    /// Whether the answer under way has written something.
    private var hasWritten = false

    /// Whether the answer under way shows something that isn't committed.
    private var hasReadUncommitted = false

    /// Whether only this batch's commit makes the answer under way true. The functions that read
    /// and write record it; the functions of requests need not know.
    var answerNeedsCommit: Bool { hasWritten || hasReadUncommitted }

    /// The request and the waiters that the step under way belongs to.
    var cause = EffectCause()

    /// The replies in the order of the requests.
    private var replies: [Ready.ReplyTo] = []

    /// For each reply, whether it needs the commit.
    private var needCommit: [Bool] = []

    /// Reading requests whose answers need the commit, with the indexes of their replies.
    private var reads: [(index: Int, request: Request)] = []

    /// Bytes of the replies that carry states or pages.
    private var replyBytes = 0

    /// Requests for backups, answered after the commit.
    var backups: [Request] = []

    /// The steps with the states before them, for subscribers; empty without subscriptions.
    var steps: [PublishedStep] = []

    /// The number of selections of subscriptions that those steps are compared with.
    var selections = 0

    /// Deleted instances: subscribers get only the last of their steps.
    var unpublished: Set<InstanceNumber> = []

    /// The indexes of the changed instances in the table.
    var dirty: [InstanceTable.Place] = []

    /// Names that were deleted and not created again.
    var deleted: Set<InstanceName> = []

    /// New dedup records.
    var dedups: [DedupKey: DedupEntry] = [:]

    /// The last instance number in use.
    var lastNumber: InstanceNumber

    /// Deletions by retention, which no client requested.
    var expiring: Int64 = 0

    /// The number of pages that requests of this batch began to read.
    var pageTurns = 0

    /// Work for effects, and the answers to waiting requests.
    var effects = EffectWork()

    struct DedupKey: Hashable {
        var number: InstanceNumber
        var key: [UInt8]
    }

    /// An empty batch.
    init(head: JournalPosition, lastNumber: InstanceNumber) {
        writes = WriteSet(firstSequence: head + 1)
        self.lastNumber = lastNumber
    }

    /// The number of replies.
    var replyCount: Int { replies.count }

    /// Whether it holds a reply that needs the commit.
    var hasPendingReplies: Bool { needCommit.contains(true) }

    /// Whether it holds a reply.
    var hasReplies: Bool { !replies.isEmpty }

    /// About how many bytes of memory the batch holds.
    var bytes: Int {
        writes.journal.count + writes.snapshots.count + writes.effectBytes + replyBytes
    }

    // MARK: Answers

    /// Begins an answer: so far it shows only what is committed.
    mutating func beginAnswer() {
        hasWritten = false
        hasReadUncommitted = false
    }

    /// Records that the answer shows a value, which `isPending` if the batch has changed it.
    mutating func rely(on isPending: Bool) {
        if isPending { hasReadUncommitted = true }
    }

    /// Records that the answer repeats an earlier one, whatever else was read. A committed answer
    /// stays true, whether this batch is committed or not.
    mutating func relyOnly(on isPending: Bool) { hasReadUncommitted = isPending }

    /// Holds a reply until the batch is settled.
    ///
    /// - Parameters:
    ///   - reply: The answer under way.
    ///   - request: The request. If the batch is lost, one that only reads is answered again.
    mutating func hold(_ reply: Reply, to request: borrowing Request) {
        let traits = request.operation.op.traits
        if answerNeedsCommit, traits.reads, traits.waiting == .never {
            reads.append((replies.count, copy request))
        }
        replies.append(
            Ready.ReplyTo(connection: request.connection, token: request.token, reply: reply))
        needCommit.append(answerNeedsCommit)
        replyBytes += reply.stateBytes
    }

    /// Releases an answer at once if it shows only what is committed, and holds it otherwise.
    mutating func release(
        _ reply: Reply, to request: borrowing Request, into ready: inout Ready
    ) {
        if answerNeedsCommit { return hold(reply, to: request) }
        ready.replies.append(
            Ready.ReplyTo(connection: request.connection, token: request.token, reply: reply))
    }

    /// Holds the last reply to a request of a connection that has closed.
    mutating func holdClosed(_ connection: ConnectionID, _ token: UInt32) {
        beginAnswer()
        hold(
            .failure(.timeout(isRepeatable: false)),
            to: Request(connection: connection, token: token, operation: .definitions))
    }

    // MARK: The end

    /// Removes and returns the replies of a batch that is durable.
    mutating func releaseReplies() -> [Ready.ReplyTo] {
        var released: [Ready.ReplyTo] = []
        swap(&released, &replies)
        replies.reserveCapacity(released.count)
        return released
    }

    /// The steps of a batch that is durable, for subscribers.
    var committedSteps: [PublishedStep] {
        if unpublished.isEmpty { return steps }
        return steps.filter { !unpublished.contains($0.record.number) }
    }

    /// Prepares for the next batch and keeps the memory.
    mutating func begin(head: JournalPosition) {
        removeAll(head: head, lastNumber: lastNumber)
        needCommit.removeAll(keepingCapacity: true)
        replyBytes = 0
        reads.removeAll()
        pageTurns = 0
        backups = []
    }

    /// Removes the writes and all that comes of them. Replies stay, and work for effects.
    mutating func removeAll(head: JournalPosition, lastNumber: InstanceNumber) {
        writes.removeAll(firstSequence: head + 1)
        beginAnswer()
        steps = []
        selections = 0
        unpublished = []
        dirty.removeAll(keepingCapacity: true)
        deleted.removeAll()
        dedups.removeAll()
        expiring = 0
        self.lastNumber = lastNumber
    }

    /// Turns the replies into those of a batch of which nothing was written.
    ///
    /// - Parameters:
    ///   - refusal: The reply to each request that needed the commit.
    ///   - head: The head of the committed journal.
    ///   - answer: Answers a reading request from what is committed; `nil` when its answer comes
    ///     later.
    consuming func giveUp(
        _ refusal: Failure, head: JournalPosition, answer: (Request) -> Reply?
    ) -> [Ready.ReplyTo] {
        var replies: [Ready.ReplyTo?] = zip(replies, needCommit).map { reply, needsCommit in
            var to = reply
            if needsCommit {
                to.reply = .failure(refusal)
            } else if case .subscribed(let name, let current, let first) = to.reply {
                let held = min(current, Cursor(sequence: head))
                to.reply = .subscribed(name, current: held, first: first)
            }
            return to
        }
        for (index, request) in reads {
            if let reply = answer(request) {
                replies[index]?.reply = reply
            } else {
                replies[index] = nil
            }
        }
        return replies.compactMap { $0 }
    }
}
