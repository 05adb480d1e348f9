import OrderedJSON
import Transducers

// Answers that wait. They are given with the commit that makes them true; a batch that is given
// up takes back what it has told.

extension Engine {
    // MARK: Effects

    /// `send` that waits for its effects.
    mutating func sendAndSettle(
        _ send: Send, of request: Request, at now: Timestamp, store: any Store
    ) -> Outcome {
        guard waiters.count < Limits.waitersMax else {
            return Outcome(.failure(.limit("too many requests wait for effects or states")))
        }
        let id = waiters.takeID()
        cause.waiters = [id]
        let placeholder = Reply.Sent(
            version: 0, cursor: Cursor(sequence: 0), changed: false, isDone: false,
            isDuplicate: false)
        waiters.insert(
            WaiterTable.Waiter(
                connection: request.connection, token: request.token,
                deadline: now.advanced(by: send.timeout),
                subject: .effects(
                    WaiterTable.Settling(
                        home: send.to, isTree: send.settle == .tree,
                        hasKey: send.dedup != nil, sent: placeholder))),
            id: id)
        let outcome = self.send(send, at: now, store: store)
        guard case .sent(var sent) = outcome.reply,
            case .effects(let settling)? = waiters[id]?.subject, !settling.outstanding.isEmpty
        else {
            var answer = outcome
            if case .sent(var sent) = outcome.reply, !sent.isDuplicate,
                case .effects(let settling)? = waiters[id]?.subject
            {
                sent.settled = settling.outcomes
                answer.reply = .sent(sent)
            }
            waiters.remove(id)
            return answer
        }
        sent.settled = []
        waiters.setSent(sent, of: id)
        return .held
    }

    /// An effect begins to count for those who wait for what causes it.
    mutating func joined(_ ref: EffectRef, parent: EffectRef?) {
        var ids = cause.waiters
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
                run: row.ref.run, instance: InstanceName(row.body.owner), id: run.key.text,
                end: end, reason: reason)
        }
        for id in waiters.ended(row.ref, outcome) where !cause.waiters.contains(id) {
            release(id)
        }
    }

    private mutating func release(_ id: WaiterTable.ID) {
        guard let waiter = waiters.remove(id), case .effects(let settling) = waiter.subject else {
            return
        }
        var sent = settling.sent
        sent.settled = settling.outcomes
        effectWork.released.append((waiter, .sent(sent)))
    }

    /// What follows from an effect's result counts for those who wait for the tree.
    mutating func following<Value>(
        _ row: StoredEffect, _ body: (inout Engine) -> Value
    ) -> Value {
        let outer = cause
        cause = EffectCause(
            request: row.body.request, waiters: waiters.waiting(for: row.ref, isTree: true))
        let value = body(&self)
        cause = outer
        return value
    }

    // MARK: States

    /// `await`: answers like `get` as soon as the condition holds.
    mutating func wait(
        for wanted: Await, of request: Request, at now: Timestamp, store: any Store
    ) -> Outcome {
        var needsCommit = false
        do throws(Failure) {
            let found = try find(wanted.to, store: store)
            needsCommit = self.needsCommit(found)
            let stored = try self.stored(found, name: wanted.to)
            if case .state = wanted.until, catalogue[wanted.to.machine]?.stateHasNames != true {
                throw Failure.badRequest(
                    path: "$.until",
                    message: "the states of machine \(wanted.to.machine) have no names")
            }
            if Self.holds(wanted.until, of: stored) {
                var got = Reply.Got(stored, in: catalogue)
                if case .resident(let place) = found {
                    try readEffects(at: place, store: store)
                    got.effects = shownEffects(at: place)
                }
                return Outcome(.got(got), needsCommit: needsCommit)
            }
            if stored.isDone { throw Failure.instanceDone(wanted.to, version: stored.version) }
            guard waiters.count < Limits.waitersMax else {
                throw Failure.limit("too many requests wait for effects or states")
            }
            waiters.insert(
                WaiterTable.Waiter(
                    connection: request.connection, token: request.token,
                    deadline: now.advanced(by: wanted.timeout),
                    subject: .state(wanted.to, wanted.until)),
                id: waiters.takeID())
            return .held
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit)
        }
    }

    private static func holds(_ condition: Await.Condition, of stored: StoredInstance) -> Bool {
        switch condition {
        case .done: stored.isDone
        case .state(let name): CaseName.read(stored.state) == name
        }
    }

    /// An instance has changed: whoever waits for it may be answered.
    mutating func tellWaiters(of place: InstanceTable.Place) {
        guard waiters.hasNames else { return }
        let stored = instances.residents[place].stored
        for id in waiters.waiting(for: stored.name) {
            guard case .state(_, let condition)? = waiters[id]?.subject else { continue }
            let reply: Reply
            if Self.holds(condition, of: stored) {
                var got = Reply.Got(stored, in: catalogue)
                got.effects = shownEffects(at: place)
                reply = .got(got)
            } else if stored.isDone {
                reply = .failure(.instanceDone(stored.name, version: stored.version))
            } else {
                continue
            }
            if let waiter = waiters.remove(id) { effectWork.released.append((waiter, reply)) }
        }
    }

    /// An instance is gone.
    mutating func tellWaiters(ofDeleted name: InstanceName) {
        for id in waiters.waiting(for: name) {
            if let waiter = waiters.remove(id) {
                effectWork.released.append((waiter, .failure(.noSuchInstance(name))))
            }
        }
    }

    // MARK: Ends

    /// Answers those whose time is over.
    mutating func expireWaiters(at now: Timestamp) {
        for id in waiters.expired(at: now) {
            if let waiter = waiters.remove(id) {
                effectWork.released.append((waiter, .failure(waiter.timeout)))
            }
        }
    }

    /// After a commit: the answers that it has made true.
    mutating func releaseWaiters(into actions: inout Actions) {
        for (waiter, reply) in effectWork.released {
            actions.replies.append(
                Actions.ReplyTo(
                    connection: waiter.connection, token: waiter.token, reply: reply))
        }
        effectWork.released.removeAll()
        waiters.endBatch()
    }

    /// The batch is given up. What began with it is refused; who waits for a state goes on
    /// waiting; what became of effects that were told of is unknown.
    mutating func giveUpWaiters(into replies: inout [Actions.ReplyTo]) {
        for (waiter, reply) in effectWork.released {
            switch (waiter.subject, reply) {
            case (.state, .got) where !waiter.isNew, (.state, .failure(.instanceDone)),
                (.state, .failure(.noSuchInstance)):
                waiters.insert(waiter, id: waiters.takeID())
            default:
                replies.append(Self.refusal(of: waiter))
            }
        }
        effectWork.released.removeAll()
        for id in waiters.touched.sorted() {
            guard case .effects? = waiters[id]?.subject, let waiter = waiters.remove(id) else {
                continue
            }
            replies.append(Self.refusal(of: waiter))
        }
        waiters.endBatch()
    }

    private static func refusal(of waiter: WaiterTable.Waiter) -> Actions.ReplyTo {
        Actions.ReplyTo(
            connection: waiter.connection, token: waiter.token,
            reply: .failure(waiter.isNew ? .storageFull : waiter.timeout))
    }
}
