import GroveWire
import Transducers

/// `batch`: several sends as one request. They are applied in one commit, with nothing in between.
/// An object for the same reason as ``Send``.
public final class SendBatch: Sendable {
    /// One item.
    public enum Item: Sendable {
        /// A send; it waits for no effects.
        case send(Send)
        /// An item that isn't a valid send, with the reason.
        indirect case refused(Failure)
    }

    /// The items, at most ``Limits/batchItemsMax``.
    public let items: [Item]

    public let isAtomic: Bool

    public init(items: [Item], isAtomic: Bool) {
        self.items = items
        self.isAtomic = isAtomic
    }
}

extension Reply {
    /// The result of an item of a batch.
    public enum BatchResult: Sendable {
        /// It was applied, or had been before.
        case sent(Sent)
        indirect case failure(Failure)
    }
}

// Several sends as one request. An atomic batch that fails must leave nothing behind, so it begins
// where everything that is written is committed: to undo it is to forget what isn't
// (docs/decisions/0014-atomic-batches.md).

extension Engine {
    /// Whether the batch must be flushed before this request is performed: before an atomic
    /// batch, if anything was written, and before those that read what is stored: `audit`, if
    /// accounts were changed, and `prune`.
    public func mustFlush(before request: borrowing Request) -> Bool {
        switch request.op {
        case .batch:
            guard case .batch(let items) = request.operation else { return false }
            return items.isAtomic && !batch.writes.isEmpty
        case .prune: return !batch.writes.isEmpty
        case .audit: return !batch.writes.accounts.isEmpty
        default: return false
        }
    }

    /// The values before an atomic batch that the store can't give back. There are no writes then.
    private struct Savepoint {
        let effects: EffectWork
        let waiters: WaiterTable
        let random: any RandomNumberGenerator & Sendable
        let lastNumber: InstanceNumber
        let counters: Counters
        /// The instances in memory that the batch may change, in the order of its items. They have
        /// values that a store doesn't know, such as when a queue's last effect began.
        var residents: [Resident] = []
        var names: Set<InstanceName> = []
    }

    /// `batch`: applies the items in their order.
    mutating func apply(_ items: SendBatch, in turn: Turn) -> Reply {
        var savepoint: Savepoint?
        guard items.isAtomic else {
            return applyEach(items, keeping: &savepoint, in: turn)
        }
        precondition(batch.writes.isEmpty, "an atomic batch begins with nothing to commit")
        savepoint = Savepoint(
            effects: batch.effects, waiters: waiters, random: options.random,
            lastNumber: batch.lastNumber, counters: counters)
        let reply = applyEach(items, keeping: &savepoint, in: turn)
        if case .failure = reply, let savepoint { undo(to: savepoint) }
        return reply
    }

    private mutating func applyEach(
        _ items: SendBatch, keeping savepoint: inout Savepoint?, in turn: Turn
    ) -> Reply {
        var results: [Reply.BatchResult] = []
        results.reserveCapacity(items.items.count)
        var needsCommit = false
        var room = Limits.pageBytesMax
        let end = batch.bytes + Limits.batchBytesMax
        var work = 0
        var refusedBytes = 0
        for (index, item) in items.items.enumerated() {
            if savepoint != nil, case .send(let send) = item { keep(send.to, in: &savepoint) }
            let isFull =
                room <= 0 || batch.bytes + refusedBytes >= end || work >= Limits.batchWorkMax
            batch.beginAnswer()
            scratch.work = 0
            let reply = isFull ? .failure(Self.fullBatch) : apply(item, in: turn)
            work += scratch.work
            batch.cause = EffectCause(trace: batch.cause.trace)
            needsCommit = needsCommit || batch.answerNeedsCommit
            switch reply {
            case .sent(let sent):
                results.append(.sent(sent))
                room -= sent.detail?.bytes ?? 0
            case .failure(let failure):
                if items.isAtomic { return .failure(.inBatch(index: index, failure)) }
                results.append(.failure(failure))
                room -= failure.stateBytes
                refusedBytes += bytesInMemory(of: item)
            default: preconditionFailure("a send is answered by a send's reply")
            }
        }
        batch.rely(on: needsCommit)
        return .batch(results)
    }

    /// The bytes of the instance that has refused an item: its state may have been read, and is
    /// read again for the next item.
    private func bytesInMemory(of item: SendBatch.Item) -> Int {
        guard case .send(let send) = item, let place = instances.place(of: send.to) else {
            return 0
        }
        return instances.residents[place].bytes
    }

    /// The refusal of items beyond a batch's bounds.
    private static var fullBatch: Failure {
        .limit(
            "the items before it made \(Limits.pageBytesMax) bytes of answers, or "
                + "\(Limits.batchBytesMax) bytes to commit, or computed too much; "
                + "send the rest in another batch")
    }

    private mutating func apply(_ item: SendBatch.Item, in turn: Turn) -> Reply {
        switch item {
        case .send(let send): self.send(send, in: turn)
        case .refused(let failure): .failure(failure)
        }
    }

    /// Saves an instance that an item may change, and its parent, which gets its end.
    private func keep(_ name: InstanceName, in savepoint: inout Savepoint?) {
        guard let place = instances.place(of: name), !instances.residents[place].isDirty,
            savepoint?.names.insert(name).inserted == true
        else { return }
        var resident = instances.residents[place]
        // An object, which the step would change.
        resident.effects = resident.effects?.copy()
        savepoint?.residents.append(resident)
        if let parent = resident.stored.parent.flatMap({ InstanceName($0.name) }) {
            keep(parent, in: &savepoint)
        }
    }

    private mutating func undo(to savepoint: Savepoint) {
        precondition(!batch.hasPendingReplies, "a reply depends on writes that are undone")
        undo(lastNumber: savepoint.lastNumber)
        for resident in savepoint.residents
        where instances.place(of: resident.stored.name) == nil {
            _ = instances.insert(resident)
        }
        batch.effects = savepoint.effects
        waiters = savepoint.waiters
        options.random = savepoint.random
        counters = savepoint.counters
    }
}

extension Reply.Sent.Detail {
    /// Bytes that it adds to a reply, about.
    var bytes: Int {
        state.count + (outputs?.reduce(0) { $0 + $1.data.count + 1 } ?? 0)
            + (effects?.reduce(0) { $0 + $1.count + 1 } ?? 0)
    }
}

extension Failure {
    /// Bytes of the state and event that it shows.
    var stateBytes: Int {
        if case .eventRejected(_, let state, let event, _) = self {
            state.count + event.count
        } else {
            0
        }
    }
}
