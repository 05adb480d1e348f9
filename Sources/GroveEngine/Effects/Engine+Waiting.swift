import OrderedJSON
import Transducers

// Answers that wait. They are given with the commit that makes them true; a batch that is given
// up takes back what it has told.

extension Engine {
    // MARK: Effects

    /// `send` that waits for its effects.
    mutating func sendAndSettle(_ send: Send, of request: Request, in turn: Turn) -> Reply? {
        guard waiters.count < Limits.waitersMax else {
            return .failure(.limit("too many requests wait for effects or states"))
        }
        let id = waiters.takeID()
        batch.cause.waiters = [id]
        let placeholder = Reply.Sent(
            version: 0, cursor: Cursor(sequence: 0), changed: false, isDone: false,
            isDuplicate: false)
        waiters.insert(
            WaiterTable.Waiter(
                connection: request.connection, token: request.token,
                deadline: turn.now.advanced(by: send.timeout),
                subject: .effects(hasKey: send.dedup != nil)),
            id: id,
            settling: WaiterTable.Settling(
                home: send.to, isTree: send.settle == .tree, sent: placeholder))
        let reply = self.send(send, in: turn)
        guard case .sent(var sent) = reply, let settling = waiters.settling(id),
            !settling.outstanding.isEmpty
        else {
            defer { waiters.remove(id) }
            guard case .sent(var sent) = reply, !sent.isDuplicate,
                let settling = waiters.settling(id)
            else { return reply }
            sent.settled = settling.outcomes
            return .sent(sent)
        }
        sent.settled = []
        waiters.setSent(sent, of: id)
        return nil
    }

    /// An effect begins to count for those who wait for what causes it.
    mutating func joined(_ ref: EffectRef, parent: EffectRef?) {
        var ids = batch.cause.waiters
        if let parent { ids += waiters.waiting(for: parent).filter { !ids.contains($0) } }
        if !ids.isEmpty { waiters.join(ref, ids) }
    }

    /// An effect is over, with all that was applied because of it.
    mutating func settled(
        _ row: StoredEffect, _ end: Reply.EffectOutcome.End, reason: String? = nil
    ) {
        guard !waiters.isEmpty else { return }
        let outcome = row.body.run.map { run in
            Reply.EffectOutcome(
                number: row.ref.number, instance: InstanceName(row.body.owner), id: run.key.text,
                end: end, reason: reason)
        }
        for id in waiters.ended(row.ref, outcome) where !batch.cause.waiters.contains(id) {
            release(id)
        }
    }

    private mutating func release(_ id: WaiterTable.ID) {
        guard let settling = waiters.settling(id), let waiter = waiters.remove(id) else { return }
        var sent = settling.sent
        sent.settled = settling.outcomes
        batch.effects.released.append((waiter, .sent(sent)))
    }

    /// What follows from an effect's result counts for those who wait for the tree.
    mutating func following<Value>(
        _ row: StoredEffect, _ body: (inout Engine) -> Value
    ) -> Value {
        let outer = batch.cause
        batch.cause = EffectCause(
            request: row.body.request, waiters: waiters.waiting(for: row.ref, isTree: true))
        let value = body(&self)
        batch.cause = outer
        return value
    }

    // MARK: States

    /// An instance has changed: whoever waits for it may be answered. The state is looked at once,
    /// however many wait.
    mutating func tellWaiters(of place: InstanceTable.Place) {
        let name = instances.residents[place].stored.name
        guard !waiters.isEmpty, waiters.areThere(for: name) else { return }
        let stored = instances.residents[place].stored
        var held: [Await.Condition] = stored.isDone ? [.done] : []
        if waiters.areThere(forStatesOf: name),
            let state = stateName(of: stored)
        {
            held.append(.state(state))
        }
        let fit = waiters.take(name, held)
        if !fit.isEmpty {
            var got = Reply.Got(stored, in: catalogue)
            got.effects = shownEffects(at: place)
            for waiter in fit { batch.effects.released.append((waiter, .got(got))) }
        }
        guard stored.isDone else { return }
        for waiter in waiters.takeAll(name) {
            batch.effects.released.append(
                (waiter, .failure(.instanceDone(stored.name, version: stored.version))))
        }
    }

    /// An instance is gone.
    mutating func tellWaiters(ofDeleted name: InstanceName) {
        for waiter in waiters.takeAll(name) {
            batch.effects.released.append((waiter, .failure(.noSuchInstance(name))))
        }
    }

    // MARK: Ends

    /// Answers those whose time is over; so many that nobody else waits for it.
    mutating func expireWaiters(at now: Timestamp) {
        for waiter in waiters.takeExpired(at: now, limit: Limits.waitersAnsweredMax) {
            batch.effects.released.append((waiter, .failure(waiter.timeout)))
        }
    }

    /// After a commit: the answers that it has made true. Those that are too many for one turn come
    /// with the next ones; they stay true.
    mutating func releaseWaiters(into ready: inout Ready) {
        for (waiter, reply) in batch.effects.released {
            schedule.owed.append(
                Ready.ReplyTo(
                    connection: waiter.connection, token: waiter.token, reply: reply))
        }
        batch.effects.released.removeAll()
        waiters.endBatch()
        ready.replies += schedule.owed.take()
    }

    /// The batch is given up. What began with it is refused; who waits for a state goes on
    /// waiting; what became of effects that were told of is unknown.
    mutating func giveUpWaiters(_ refusal: Failure, into replies: inout [Ready.ReplyTo]) {
        for (waiter, reply) in batch.effects.released {
            switch (waiter.subject, reply) {
            case (.state, .got) where !waiter.isNew, (.state, .failure(.instanceDone)),
                (.state, .failure(.noSuchInstance)):
                waiters.insert(waiter, id: waiters.takeID())
            default:
                replies.append(Self.refusal(of: waiter, refusal))
            }
        }
        batch.effects.released.removeAll()
        for id in waiters.touched.sorted() {
            guard case .effects? = waiters[id]?.subject, let waiter = waiters.remove(id) else {
                continue
            }
            replies.append(Self.refusal(of: waiter, refusal))
        }
        waiters.endBatch()
    }

    private static func refusal(
        of waiter: WaiterTable.Waiter, _ refusal: Failure
    ) -> Ready.ReplyTo {
        Ready.ReplyTo(
            connection: waiter.connection, token: waiter.token,
            reply: .failure(waiter.isNew ? refusal : waiter.timeout))
    }
}
