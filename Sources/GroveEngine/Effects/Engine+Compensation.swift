import OrderedJSON
import Transducers

extension Engine {
    /// What has been completed and can be undone becomes a sequence, the last one first.
    mutating func compensate(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp
    ) {
        var undos: [HostedEffect] = []
        for done in effects.sorted.reversed() where done.body.phase == .completed {
            effects.remove(done.ref.number)
            guard let undo = done.body.run?.undo else { continue }
            undos.append(.start(HostedRun(undoing: undo, of: done)))
        }
        batch.effects.note(
            EffectRecord(.completed, row).with("undoes", .integer(Int64(undos.count))).bytes)
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.ended(row.ref.ledgerID, now: now, drawing: draw, into: &commands)
        }
        var sequence = row
        sequence.due = nil
        sequence.body.phase = .sequence
        sequence.body.run = nil
        sequence.body.rest = Self.grouped(undos)
        sequence.body.goesOn = true
        effects.put(sequence)
        advance(row.ref.number, effects, at: place, now)
        record(at: place, now)
    }
}

extension HostedRun {
    /// Tries of an undoing: with pauses that grow, days of them.
    static let undoingAttemptsMax = 50

    /// The work that undoes an effect: tried for a long time, because half undone is worst.
    init(undoing undo: Undo, of done: StoredEffect) {
        self.init(
            key: HostedKey(id: nil),
            work: .perform(handler: undo.handler, argument: undo.argument),
            retry: RetryPolicy(attemptsMax: Self.undoingAttemptsMax))
    }
}
