import GroveAccess
import OrderedJSON
import Transducers

// Answers that wait. They are released with the commit that makes them true. A lost batch undoes
// them.

extension Engine {
    // MARK: Effects

    /// `send` that waits for its effects.
    mutating func sendAndSettle(_ send: Send, of request: Request, in turn: Turn) -> Reply? {
        guard waiters.count < Limits.waitersMax else {
            return .failure(.limit("too many requests wait for effects or states"))
        }
        let id = waiters.nextID()
        batch.cause.waiters = [id]
        let placeholder = Reply.Sent(
            version: 0, cursor: Cursor(sequence: 0), changed: false, isDone: false,
            isDuplicate: false)
        waiters.insert(
            WaiterTable.Waiter(
                connection: request.connection, token: request.token, caller: request.caller,
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
            sent.settled = shown(settling.outcomes, to: request.caller)
            return .sent(sent)
        }
        sent.settled = []
        waiters.setSent(sent, of: id)
        return nil
    }

    /// Lets the requests that wait for an effect's cause wait for the effect, too.
    mutating func joinWaiters(_ ref: EffectRef, parent: EffectRef?) {
        var ids = batch.cause.waiters
        if let parent { ids += waiters.waiting(for: parent).filter { !ids.contains($0) } }
        if !ids.isEmpty { waiters.join(ref, ids) }
    }

    /// Answers the requests that waited for this effect as their last one. All that the effect
    /// caused must have been applied.
    mutating func resolveWaiters(
        for row: StoredEffect, _ end: Reply.EffectOutcome.End, reason: String? = nil
    ) {
        guard !waiters.isEmpty else { return }
        let outcome = row.body.run.map { run in
            Reply.EffectOutcome(
                number: row.ref.number, instance: InstanceName(row.body.owner), id: run.key.text,
                end: end, reason: reason)
        }
        for id in waiters.end(row.ref, outcome) where !batch.cause.waiters.contains(id) {
            guard let settling = waiters.settling(id), let waiter = waiters.remove(id) else {
                continue
            }
            var sent = settling.sent
            sent.settled = shown(settling.outcomes, to: waiter.caller)
            batch.effects.released.append((waiter, .sent(sent)))
        }
    }

    /// The outcomes but for those of instances that the sender may not read. Those of the
    /// event's own instance have no name and are always shown.
    private mutating func shown(
        _ outcomes: [Reply.EffectOutcome], to caller: Caller
    ) -> [Reply.EffectOutcome] {
        guard outcomes.contains(where: { $0.instance != nil }) else { return outcomes }
        let filter = ReadFilter(access.subject(of: caller.principal))
        return outcomes.filter { $0.instance.map(filter.includes) ?? true }
    }

    /// Runs `body` with the effect as the cause of new effects, for requests that wait for the
    /// tree.
    mutating func withCause<Value>(
        of row: StoredEffect, _ body: (inout Engine) -> Value
    ) -> Value {
        let outer = batch.cause
        batch.cause = EffectCause(
            request: row.body.request, trace: row.body.traceparent,
            waiters: waiters.waiting(for: row.ref, isTree: true))
        let value = body(&self)
        batch.cause = outer
        return value
    }

    // MARK: States

    /// Answers the requests that wait for the present state of a changed instance. The state is
    /// read once for all of them.
    mutating func notifyWaiters(of place: InstanceTable.Place) {
        let name = instances.residents[place].stored.name
        guard !waiters.isEmpty, waiters.hasWaiters(for: name) else { return }
        let stored = instances.residents[place].stored
        var met: [Await.Condition] = stored.isDone ? [.done] : []
        if waiters.hasWaiters(forStatesOf: name) {
            met += stateNames(of: stored).map { .state($0) }
        }
        let answered = waiters.remove(name, met)
        if !answered.isEmpty {
            var got = Reply.Got(stored, in: catalogue)
            got.effects = shownEffects(at: place)
            let states =
                answered.contains(where: \.wantsStates) ? activeStates(of: stored) : nil
            for waiter in answered {
                if let refusal = refusal(ofReading: name, by: waiter.caller) {
                    batch.effects.released.append((waiter, .failure(refusal)))
                    continue
                }
                got.activeStates = waiter.wantsStates ? states : nil
                batch.effects.released.append((waiter, .got(got)))
            }
        }
        guard stored.isDone else { return }
        for waiter in waiters.removeAll(name) {
            batch.effects.released.append(
                (waiter, .failure(.instanceDone(stored.name, version: stored.version))))
        }
    }

    /// Refuses the requests that wait for a deleted instance.
    mutating func notifyWaiters(ofDeleted name: InstanceName) {
        for waiter in waiters.removeAll(name) {
            batch.effects.released.append((waiter, .failure(.noSuchInstance(name))))
        }
    }

    // MARK: Ends

    /// Answers requests that have timed out, at most ``Limits/waitersAnsweredMax``.
    mutating func expireWaiters(at now: Timestamp) {
        for waiter in waiters.removeExpired(at: now, limit: Limits.waitersAnsweredMax) {
            batch.effects.released.append((waiter, .failure(waiter.timeout)))
        }
    }

    /// Releases the answers that a commit has made true. The next turns release what is too much
    /// for one; those answers stay true.
    mutating func releaseWaiters(into ready: inout Ready) {
        for (waiter, reply) in batch.effects.released {
            schedule.owed.append(
                Ready.ReplyTo(
                    connection: waiter.connection, token: waiter.token, reply: reply))
        }
        batch.effects.released.removeAll()
        waiters.endBatch()
        ready.replies += schedule.owed.nextTurn()
    }

    /// Undoes the answers of a lost batch. Requests that began in it are refused. Requests that
    /// wait for a state continue to wait. For effects that ended in it, the outcome is unknown.
    mutating func giveUpWaiters(_ refusal: Failure, into replies: inout [Ready.ReplyTo]) {
        for (waiter, reply) in batch.effects.released {
            switch (waiter.subject, reply) {
            case (.state, .got) where !waiter.isNew, (.state, .failure(.instanceDone)),
                (.state, .failure(.noSuchInstance)):
                waiters.insert(waiter, id: waiters.nextID())
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

extension WaitingQueue<Ready.ReplyTo> {
    /// Removes and returns the answers of one turn, in their order: at most
    /// ``Limits/waitersAnsweredMax``, and about ``Limits/pageBytesMax`` of states, but at least
    /// one if there is one. When thousands wait for one event, turns keep other replies prompt.
    mutating func nextTurn() -> [Ready.ReplyTo] {
        var answers: [Ready.ReplyTo] = []
        var room = Limits.pageBytesMax
        while answers.count < Limits.waitersAnsweredMax, room > 0, let answer = next() {
            answers.append(answer)
            room -= answer.reply.stateBytes
        }
        return answers
    }
}
