import GroveAccess
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
    var writes: WriteSet { didSet { hasWritten = true } }

    private var hasWritten = false

    /// Whether the reply in progress shows uncommitted data.
    private var hasReadUncommitted = false

    /// Whether the reply in progress is true only after this batch's commit. The functions that
    /// read and write record it; requests don't have to.
    var answerNeedsCommit: Bool { hasWritten || hasReadUncommitted }

    /// The number of the principal whose request is performed now, for its steps; 0 for steps of
    /// timers, results and children, and on a server without accounts.
    var by: UInt32 = 0

    /// The request and the waiters of the step in progress.
    var cause = EffectCause()

    private var replies: [Ready.ReplyTo] = []

    /// For each reply, whether it needs the commit.
    private var needCommit: [Bool] = []

    /// Reading requests whose replies need the commit, with the indexes of these.
    private var reads: [(index: Int, request: Request)] = []

    /// Bytes of the replies that carry states or pages.
    private var replyBytes = 0

    /// Requests for backups and counts, answered after the commit.
    var afterCommit: [Request] = []

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

    var dedups: [DedupKey: DedupEntry] = [:]

    var lastNumber: InstanceNumber

    /// Deletions by retention, which no client requested.
    var expiring: Int64 = 0

    /// The number of pages that requests of this batch began to read.
    var pageTurns = 0

    /// The number of its requests for descriptions.
    var descriptions = 0

    /// Work for effects, and the answers to waiting requests.
    var effects = EffectWork()

    /// The catalogue before this batch, if the batch has changed it.
    var committedCatalogue: Catalogue?

    /// The accounts before this batch, if the batch has changed them.
    var committedAccounts: AccountsTable?

    struct DedupKey: Hashable {
        var number: InstanceNumber
        var key: [UInt8]
    }

    init(head: JournalPosition, lastNumber: InstanceNumber) {
        writes = WriteSet(firstSequence: head + 1)
        self.lastNumber = lastNumber
    }

    var replyCount: Int { replies.count }

    var hasPendingReplies: Bool { needCommit.contains(true) }

    var hasReplies: Bool { !replies.isEmpty }

    /// The estimated bytes in memory.
    var bytes: Int {
        writes.journal.count + writes.snapshots.count + writes.effectBytes + replyBytes
    }

    // MARK: Answers

    /// Starts a reply, which so far shows only committed data.
    mutating func beginAnswer() {
        hasWritten = false
        hasReadUncommitted = false
    }

    /// Records that the reply shows a value, which `isPending` if the batch has changed it.
    mutating func rely(on isPending: Bool) {
        if isPending { hasReadUncommitted = true }
    }

    /// Records that the reply repeats an earlier one, whatever else was read. A committed reply
    /// stays true whether this batch is committed or not.
    mutating func relyOnly(on isPending: Bool) { hasReadUncommitted = isPending }

    /// Holds a reply until the batch is settled. If the batch is lost, a request that only reads is
    /// answered again.
    mutating func hold(_ reply: consuming Reply, to request: borrowing Request) {
        if answerNeedsCommit {
            let traits = request.op.traits
            if traits.reads, traits.waiting == .never {
                reads.append((replies.count, copy request))
            }
        }
        replyBytes += reply.stateBytes
        needCommit.append(answerNeedsCommit)
        replies.append(
            Ready.ReplyTo(connection: request.connection, token: request.token, reply: reply))
    }

    /// Releases a reply at once if it shows only committed data, and holds it otherwise.
    mutating func release(
        _ reply: Reply, to request: borrowing Request, into ready: inout Ready
    ) {
        if answerNeedsCommit { return hold(reply, to: request) }
        ready.replies.append(
            Ready.ReplyTo(connection: request.connection, token: request.token, reply: reply))
    }

    /// Holds the last reply to a request of a closed connection.
    mutating func holdClosed(_ connection: ConnectionID, _ token: UInt32) {
        beginAnswer()
        hold(
            .failure(.timeout(isRepeatable: false)),
            to: Request(connection: connection, token: token, operation: .definitions()))
    }

    // MARK: The end

    mutating func releaseReplies() -> [Ready.ReplyTo] {
        var released: [Ready.ReplyTo] = []
        swap(&released, &replies)
        replies.reserveCapacity(released.count)
        return released
    }

    var committedSteps: [PublishedStep] {
        if unpublished.isEmpty { return steps }
        return steps.filter { !unpublished.contains($0.record.number) }
    }

    mutating func begin(head: JournalPosition) {
        removeAll(head: head, lastNumber: lastNumber)
        needCommit.removeAll(keepingCapacity: true)
        replyBytes = 0
        reads.removeAll()
        pageTurns = 0
        descriptions = 0
        afterCommit = []
    }

    /// Removes the writes and their consequences. Replies and work for effects stay.
    mutating func removeAll(head: JournalPosition, lastNumber: InstanceNumber) {
        writes.removeAll(firstSequence: head + 1)
        beginAnswer()
        steps = []
        selections = 0
        unpublished = []
        dirty.removeAll(keepingCapacity: true)
        deleted.removeAll()
        dedups.removeAll()
        committedCatalogue = nil
        committedAccounts = nil
        expiring = 0
        self.lastNumber = lastNumber
    }

    /// Turns the replies into those of a batch that wasn't written.
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
            } else if case .subscribed(let name, let current, let first, let isNarrowed) = to.reply
            {
                let held = min(current, Cursor(sequence: head))
                to.reply = .subscribed(
                    name, current: held, first: first, isNarrowed: isNarrowed)
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
