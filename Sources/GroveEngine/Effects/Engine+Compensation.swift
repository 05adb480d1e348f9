import OrderedJSON
import Transducers

extension Engine {
    /// Turns a compensation into a sequence that undoes the completed effects, the last one first.
    mutating func compensate(_ row: StoredEffect, in live: LiveEffects) {
        var undos: [HostedEffect] = []
        for done in live.effects.sorted.reversed() where done.body.phase == .completed {
            live.effects.remove(done.ref.number)
            if let undo = done.body.run?.undo { undos.append(.start(HostedRun(undoing: undo))) }
        }
        batch.effects.record(
            EffectRecord(.completed, row).with("undoes", Int64(undos.count)))
        removeFromLedger(row, in: live)
        var sequence = row
        sequence.due = nil
        sequence.body.phase = .sequence
        sequence.body.run = nil
        sequence.body.rest = Self.grouped(undos)
        sequence.body.goesOn = true
        live.effects.put(sequence)
        advanceSequence(row.ref.number, in: live)
        appendEffectRecord(live, of: row)
    }
}

extension HostedRun {
    /// The work that undoes an effect. It has many attempts, because half undone is worst.
    fileprivate init(undoing undo: Undo) {
        self.init(
            key: HostedKey(id: nil),
            work: .perform(handler: undo.handler, argument: undo.argument),
            retry: RetryPolicy(attemptsMax: Limits.undoingAttemptsMax))
    }
}
