import GroveAccess

// The end of a batch: it is sealed, committed by a store, and settled. Only a settled batch
// releases answers (docs/decisions/0045-what-a-batch-can-lose.md).

extension Engine {
    /// Commits the batch in one transaction and releases all that it makes true.
    ///
    /// A full disk is an answer: each request that needed the commit is refused with
    /// `STORAGE_FULL`, and the instances are as before. Reads and subscriptions continue: a read of
    /// uncommitted state is answered again from what is committed. The same with `EVAL_LIMIT` where
    /// something is larger than the store takes, which the bounds of a step prevent.
    ///
    /// - Parameter limit: The number of effects of the batch to settle, including those of
    ///   ``applyDue(upTo:at:store:)``.
    /// - Throws: any other failure of the store. The outcome of the batch is then unknown; the
    ///   process must end without another answer (reliability.md, P8).
    public mutating func flush(
        to store: any Store, at now: Timestamp, settling limit: Int = Limits.effectsPerBatchMax
    ) throws(StoreError) -> Ready {
        let sealed = try seal(at: now, settling: limit, store: store)
        let outcome: CommitOutcome
        do throws(StoreError) {
            outcome = try sealed.commit(to: store)
        } catch {
            storage.failure = error
            throw error
        }
        return try settle(sealed, as: outcome, at: now, store: store)
    }

    /// Completes the batch and takes it out. Until ``settle(_:as:at:store:)`` the engine takes no
    /// requests and no reports.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func seal(
        at now: Timestamp, settling limit: Int = Limits.effectsPerBatchMax, store: any Store
    ) throws(StoreError) -> SealedBatch {
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        batch.cause = EffectCause()
        expireWaiters(at: now)
        applyDue(upTo: limit, in: turn)
        if let failure = storage.failure { throw failure }
        rewriteStaleSnapshots()
        var sealed = Batch(head: store.head, lastNumber: batch.lastNumber)
        swap(&sealed, &batch)
        return SealedBatch(batch: sealed)
    }

    /// Releases all that a durable batch makes true, or refuses all that depended on a lost one.
    /// There is no other way to the answers of a batch.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func settle(
        _ sealed: consuming SealedBatch, as outcome: CommitOutcome, at now: Timestamp,
        store: any Store
    ) throws(StoreError) -> Ready {
        let turn = Turn(now: now, store: store)
        precondition(
            batch.writes.isEmpty && !batch.hasReplies, "an engine without its batch takes nothing")
        batch = sealed.batch
        var ready = Ready()
        ready.hasDescriptions = batch.descriptions > 0
        let waiting = batch.afterCommit
        switch outcome {
        case .durable:
            do throws(StoreError) {
                try release(into: &ready, in: turn)
            } catch {
                storage.failure = error
                throw error
            }
        case .full:
            counters.fullDisks += 1
            storage.isFull = true
            giveUp(.storageFull, into: &ready, in: turn)
        case .refused(let what):
            let refusal = Failure.evaluationLimit("the commit was refused as a whole: \(what)")
            giveUp(refusal, into: &ready, in: turn)
        }
        for request in waiting { answerAfterCommit(request, into: &ready, in: turn) }
        return ready
    }

    /// Probes for disk space after a commit failed, so that readiness recovers without a write.
    ///
    /// - Throws: what ``flush(to:at:settling:)`` throws.
    public mutating func probeDiskSpace(store: any Store) throws(StoreError) {
        if let failure = storage.failure { throw failure }
        guard storage.isFull else { return }
        do throws(StoreError) {
            try store.probeDiskSpace()
            storage.isFull = false
        } catch .full {
            // There may be room the next time.
        } catch {
            storage.failure = error
            throw error
        }
    }

    private mutating func rewriteStaleSnapshots() {
        for (index, place) in batch.dirty.enumerated() {
            lookAhead(from: index, over: batch.dirty, withContents: false)
            guard instances.residents[place].isWriteStale else { continue }
            batch.writes.rewrite(
                instances.residents[place].writeIndex, as: &instances.residents[place].stored)
        }
    }

    // MARK: Durable

    private mutating func release(into ready: inout Ready, in turn: Turn) throws(StoreError) {
        ready.replies = batch.releaseReplies()
        releaseWaiters(into: &ready)
        try releaseEffects(into: &ready, in: turn)
        if !batch.writes.isEmpty {
            counters.batches += 1
            storage.isFull = false
        }
        counters.expired += batch.expiring
        if batch.committedCatalogue != nil { ready.catalogue = catalogue }
        if let former = batch.committedAccounts {
            ready.accounts = access.accounts
            narrowSubscriptions(since: former)
        }
        publish(batch.committedSteps, at: turn.now, into: &ready)
        subscriptions.published = Cursor(sequence: turn.store.head)
        for (index, place) in batch.dirty.enumerated() {
            lookAhead(from: index, over: batch.dirty, withContents: true)
            instances.residents[place].isDirty = false
            instances.residents[place].isNew = false
            instances.residents[place].effects?.endBatch()
            instances.weigh(place)
        }
        holds.endBatch()
        batch.begin(head: turn.store.head)
        instances.shrink(to: options.residentInstancesMax, bytes: options.residentBytesMax)
    }

    private mutating func answerAfterCommit(
        _ request: Request, into ready: inout Ready, in turn: Turn
    ) {
        let reply: Reply?
        if case .backup(let wanted) = request.operation {
            reply = backup.answer(
                wanted, of: request.connection, at: turn.now, store: turn.store)
        } else {
            batch.beginAnswer()
            reply = perform(request, in: turn)
        }
        guard let reply else { return }
        ready.replies.append(
            Ready.ReplyTo(connection: request.connection, token: request.token, reply: reply))
    }

    // MARK: Lost

    /// Refuses everything that depended on a batch that wasn't written.
    private mutating func giveUp(_ refusal: Failure, into ready: inout Ready, in turn: Turn) {
        deferReports(at: turn.now)
        var waited: [Ready.ReplyTo] = []
        giveUpWaiters(refusal, into: &waited)
        undo(lastNumber: turn.store.lastInstanceNumber)
        holds.relistSleepers()
        subscriptions.clip(to: turn.store.head)
        pages.restartAll(head: turn.store.head)
        var lost = Batch(head: turn.store.head, lastNumber: turn.store.lastInstanceNumber)
        swap(&lost, &batch)
        ready.replies = lost.giveUp(refusal, head: turn.store.head) { request in
            batch.beginAnswer()
            return perform(request, in: turn)
        }
        ready.replies += waited
    }

    /// Makes instances, holds and closures as they are in the store, because the batch's writes
    /// aren't: the one undo, for a full disk and for a failed atomic batch.
    mutating func undo(lastNumber: InstanceNumber) {
        // The candidate states are lost on purpose: the store has the truth. From the last one,
        // so that none takes a place that is still to be removed.
        for place in batch.dirty.sorted(by: >) { instances.remove(at: place) }
        holds.undoBatch()
        closures.undoBatch()
        if let committed = batch.committedCatalogue { catalogue = committed }
        if let committed = batch.committedAccounts { access.change(committed) }
        batch.removeAll(head: batch.writes.firstSequence - 1, lastNumber: lastNumber)
    }
}
