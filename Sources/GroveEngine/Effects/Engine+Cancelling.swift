import OrderedJSON
import Transducers

// Effects that end without having been completed.

extension Engine {
    /// Cancels everything of an instance that ends, also what has been completed and could be
    /// undone. What has failed stays, to be looked at.
    mutating func cancelEffects(at place: InstanceTable.Place, _ now: Timestamp) {
        guard let effects = instances.residents[place].effects else { return }
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.cancel(now: now, drawing: draw, into: &commands) { _ in true }
        }
        for row in effects.sorted where row.body.phase == .completed || row.body.phase == .sequence
        {
            effects.remove(row.ref.number)
            if row.body.phase == .sequence { settled(row, .cancelled) }
        }
    }

    /// Drops everything of an instance that is deleted; children are stopped by rows that outlive
    /// it.
    mutating func dropEffects(at place: InstanceTable.Place, _ now: Timestamp) {
        guard let effects = instances.residents[place].effects else { return }
        cancelEffects(at: place, now)
        for run in effects.failed { effects.remove(run) }
        _ = batch.effects.takeNotes()
        writeEffects(at: place)
    }

    /// Cancels what is meant, in order of start. Who is meant by an id is found by that; all other
    /// choices look at everything that lives.
    mutating func cancel(
        _ selector: HostedSelector, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        guard let effects = instances.residents[place].effects else { return }
        func isMeant(_ run: Int64) -> Bool {
            effects[run]?.body.run.map { selector.includes($0.key) } ?? false
        }
        guard case .id(let id) = selector.choice,
            let name = HostedKey(scopes: selector.scopes, id: id).text
        else {
            return change(effects, at: place, now) { ledger, now, draw, commands in
                ledger.cancel(now: now, drawing: draw, into: &commands) {
                    isMeant($0.id.effectNumber)
                }
            }
        }
        let meant = effects.runs(named: name).filter(isMeant)
        cancel(runs: meant, effects, at: place, now)
    }

    /// Cancels these effects, as far as they live, in order of start.
    mutating func cancel(
        runs: [Int64], _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp
    ) {
        guard !runs.isEmpty else { return }
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.cancel(
                runs.map { EffectRunID(UInt64($0)) }, now: now, drawing: draw, into: &commands)
        }
    }

    /// An effect that the ledger doesn't know any more ends without having been completed.
    mutating func cancelled(
        run: Int64, _ effects: InstanceEffects, _ now: Timestamp
    ) {
        guard var row = effects[run] else { return }
        batch.effects.note(EffectRecord(.cancelled, row).bytes)
        forgetClosure(of: row)
        defer { settled(row, .cancelled) }
        switch row.body.phase {
        case .active: batch.effects.cancellations.append(row.ref)
        case .child where !row.isDetached:
            row.body.phase = .stopping
            row.due = now
            effects.put(row)
            putOnAgenda(row, now)
            ended(partOf: row.body.parent, effects, isWell: false, isCancelled: true, now)
            return
        default: break
        }
        effects.remove(run)
        ended(partOf: row.body.parent, effects, isWell: false, isCancelled: true, now)
    }
}
