import GroveWire
import OrderedJSON
import Transducers

// The end of effects that were canceled.

extension Engine {
    /// Cancels all effects of an instance that ends, also completed ones that could be undone.
    /// Failed ones stay for inspection.
    mutating func cancelEffects(at place: InstanceTable.Place, in turn: Turn) {
        guard let effects = instances.residents[place].effects else { return }
        let live = LiveEffects(effects: effects, place: place, turn: turn)
        change(live) { $0.cancel(now: $1, drawing: $2) { _ in true } }
        for row in effects.sorted where row.body.phase == .completed || row.body.phase == .sequence
        {
            effects.remove(row.ref.number)
            if row.body.phase == .sequence { resolveWaiters(for: row, .cancelled) }
        }
    }

    /// Removes all effects of a deleted instance. The rows that stop its children outlive it.
    mutating func removeEffects(at place: InstanceTable.Place, in turn: Turn) {
        guard let effects = instances.residents[place].effects else { return }
        cancelEffects(at: place, in: turn)
        for number in effects.failed { effects.remove(number) }
        _ = batch.effects.removeRecords()
        _ = writeEffects(at: place)
    }

    /// Cancels the selected effects, in order of start. An id is looked up; the other choices
    /// look at all live effects.
    mutating func cancel(_ selector: HostedSelector, in live: LiveEffects) {
        let effects = live.effects
        func includes(_ number: Int64) -> Bool {
            effects[number]?.body.run.map { selector.includes($0.key) } ?? false
        }
        guard case .id(let id) = selector.choice,
            let name = HostedKey(scopes: selector.scopes, id: id).text
        else {
            return change(live) {
                $0.cancel(now: $1, drawing: $2) { includes($0.id.effectNumber) }
            }
        }
        cancel(effects.numbers(named: name).filter(includes), in: live)
    }

    /// Cancels those of these effects that live, in order of start.
    mutating func cancel(_ numbers: [Int64], in live: LiveEffects) {
        guard !numbers.isEmpty else { return }
        change(live) {
            $0.cancel(numbers.map { EffectRunID(UInt64($0)) }, now: $1, drawing: $2)
        }
    }

    /// Ends an effect that is no longer in the ledger and wasn't completed.
    mutating func endCancelled(_ number: Int64, in live: LiveEffects) {
        guard var row = live[number] else { return }
        batch.effects.record(EffectRecord(.cancelled, row))
        removeClosure(of: row)
        if row.body.phase == .active { batch.effects.cancellations.append(row.ref) }
        if row.body.phase == .child, !row.isDetached {
            row.body.phase = .stopping
            // The child's end belongs to what cancelled the effect, or else to what began it.
            row.body.trace = batch.cause.trace?.text ?? row.body.trace
            row.due = live.now
            live.effects.put(row)
            enqueueIfDue(row, at: live.now)
        } else {
            live.effects.remove(number)
        }
        endPart(of: row.body.parent, in: live, succeeded: false, isCancelled: true)
        resolveWaiters(for: row, .cancelled)
    }
}
