import Transducers

// Several sends as one request. An atomic batch that fails must leave nothing behind, so it begins
// where everything that is written is committed: to undo it is to forget what isn't
// (docs/decisions/0014-atomic-batches.md).

extension Engine {
    /// Whether what was taken has to be flushed before this request is taken: before an atomic
    /// batch, if anything was written.
    public func mustFlush(before request: borrowing Request) -> Bool {
        if case .batch(let items) = request.operation {
            items.isAtomic && !batch.writes.isEmpty
        } else {
            false
        }
    }

    /// What an atomic batch finds. Of writes there are none then.
    struct BeforeBatch {
        let effectWork: EffectWork
        let closures: ClosureTable
        let waiters: WaiterTable
        let random: any RandomNumberGenerator & Sendable
        let lastNumber: InstanceNumber
        let counters: Counters
        /// The instances in memory that the batch may change, in the order of its items. What a
        /// store doesn't know of them, such as when a queue's last effect began, is kept too.
        var residents: [Resident] = []
        var names: Set<InstanceName> = []
    }

    /// `batch`: applies the items in their order.
    mutating func apply(
        _ items: SendBatch, at now: Timestamp, store: any Store
    ) -> Outcome {
        var none: BeforeBatch?
        guard items.isAtomic else {
            return applyEach(items, keeping: &none, at: now, store: store)
        }
        precondition(batch.writes.isEmpty, "an atomic batch begins with nothing to commit")
        var before: BeforeBatch? = BeforeBatch(
            effectWork: effectWork, closures: closures, waiters: waiters, random: random,
            lastNumber: lastNumber, counters: counters)
        let outcome = applyEach(items, keeping: &before, at: now, store: store)
        if case .failure = outcome.reply, let before {
            forgetWrites(backTo: before, store: store)
        }
        return outcome
    }

    private mutating func applyEach(
        _ items: SendBatch, keeping before: inout BeforeBatch?, at now: Timestamp,
        store: any Store
    ) -> Outcome {
        var results: [Reply.BatchResult] = []
        results.reserveCapacity(items.items.count)
        var needsCommit = false
        var room = Limits.pageBytesMax
        let end = batch.bytes + Limits.batchBytesMax
        for (index, item) in items.items.enumerated() {
            if before != nil, case .send(let send) = item { keep(send.to, in: &before) }
            let isFull = room <= 0 || batch.bytes >= end
            let outcome =
                isFull ? Outcome(.failure(Self.fullBatch)) : apply(item, at: now, store: store)
            cause = EffectCause()
            needsCommit = needsCommit || outcome.needsCommit
            switch outcome.reply {
            case .sent(let sent):
                results.append(.sent(sent))
                room -= sent.detail?.bytes ?? 0
            case .failure(let failure):
                if items.isAtomic { return Outcome(.failure(.inBatch(index: index, failure))) }
                results.append(.failure(failure))
                room -= failure.stateBytes
            default: preconditionFailure("a send is answered by a send's reply")
            }
        }
        return Outcome(.batch(results), needsCommit: needsCommit)
    }

    /// The refusal of what comes behind a batch's bounds.
    private static var fullBatch: Failure {
        .limit(
            "the items before it made \(Limits.pageBytesMax) bytes of answers, or "
                + "\(Limits.batchBytesMax) bytes to commit")
    }

    private mutating func apply(
        _ item: SendBatch.Item, at now: Timestamp, store: any Store
    ) -> Outcome {
        switch item {
        case .send(let send): self.send(send, at: now, store: store)
        case .refused(let failure): Outcome(.failure(failure))
        }
    }

    /// Keeps an instance that an item may change, and its parent, which is told of its end.
    private func keep(_ name: InstanceName, in before: inout BeforeBatch?) {
        guard let place = instances.place(of: name), !instances.residents[place].isDirty,
            before?.names.insert(name).inserted == true
        else { return }
        var resident = instances.residents[place]
        // An object, which the step would change.
        resident.effects = resident.effects?.copy()
        before?.residents.append(resident)
        if let parent = resident.stored.parent.flatMap({ InstanceName($0.name) }) {
            keep(parent, in: &before)
        }
    }

    /// Makes everything as it was before an atomic batch.
    private mutating func forgetWrites(backTo before: BeforeBatch, store: any Store) {
        dropCandidates()
        for resident in before.residents where instances.place(of: resident.stored.name) == nil {
            _ = instances.insert(resident)
        }
        batch.forgetWrites(at: store.head + 1)
        deleted.removeAll()
        pendingDedups.removeAll()
        effectWork = before.effectWork
        closures = before.closures
        waiters = before.waiters
        random = before.random
        lastNumber = before.lastNumber
        counters = before.counters
    }
}

extension Reply.Sent.Detail {
    /// Bytes that it adds to a reply, about.
    fileprivate var bytes: Int {
        state.count + (outputs?.reduce(0) { $0 + $1.data.count + 1 } ?? 0)
            + (effects?.reduce(0) { $0 + $1.count + 1 } ?? 0)
    }
}

extension Failure {
    /// Bytes of the state and event that it shows.
    fileprivate var stateBytes: Int {
        if case .eventRejected(_, let state, let event, _) = self {
            state.count + event.count
        } else {
            0
        }
    }
}
