/// Effects between batches: the time of the next due one, the handlers that run, and the reports
/// and answers that come later.
struct EffectSchedule {
    /// The log in which effects begin now (``LogID/digits``).
    let log: String
    /// The attempts under way, and the queues in which more effects wait for handlers.
    var handlerQueues: HandlerQueueTable
    /// Reports of lost batches: they come again when there may be room on the disk.
    var deferred: [EffectReport] = []
    /// After a full disk: the time of the next attempt to commit.
    var notBefore: Timestamp?
    /// Answers of durable batches that are still to be released.
    var owed = WaitingQueue<Ready.ReplyTo>()
    /// Effects whose closures belonged to another process, and effects to put to sleep or to wake,
    /// with their owners. One search finds at most about ``Limits/effectsPerBatchMax``.
    private(set) var lost: [(ref: EffectRef, owner: String)] = []
    /// Effects whose rows or owners can't be read. They are skipped until the next start.
    var unreadable: Set<EffectRef> = []
    /// The time of the store's next due effect, as of the last commit.
    var nextDue: Timestamp?
    /// The time to look in the store for effects of handlers that have room.
    var nextRefill: Timestamp?
    /// Whether ``nextDue`` must be read again.
    var isDueStale = true

    /// A schedule in which each handler may have a backlog in the store.
    init(log: String, handlers: [String: HandlerTraits]) {
        self.log = log
        handlerQueues = HandlerQueueTable(handlers)
    }

    /// Whether there is room among the ``lost``.
    var hasRoomForLost: Bool { lost.count < Limits.effectsPerBatchMax }

    /// Adds an effect to the ``lost``.
    mutating func lose(_ row: StoredEffect) { lost.append((row.ref, row.body.owner)) }

    /// Moves the ``lost`` to the due effects of a batch.
    mutating func moveLost(to work: inout EffectWork) {
        for (ref, owner) in lost { work.due.append((ref, owner, true)) }
        lost = []
    }

    /// Takes back the ``lost`` that a batch had no time for. The next batch begins with them.
    mutating func restoreLost(of work: borrowing EffectWork) {
        let undone = work.undoneLost
        if !undone.isEmpty { lost.insert(contentsOf: undone, at: 0) }
    }
}
