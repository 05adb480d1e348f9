import OrderedJSON
import Transducers

// How effects end: their result or failure becomes an event, which is one commit with the end.

extension Engine {
    /// An effect has ended well: its result becomes an event of its instance.
    mutating func complete(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        result: JSONValue, in turn: Turn
    ) {
        if let subject = holder(of: place) {
            return keep(.result(result), of: row, for: subject, effects, at: place, turn.now)
        }
        do throws(StepFailure) {
            let event = try event(of: result, for: row, at: place)
            complete(
                row, effects, at: place, note: EffectRecord(.completed, row), event: event, in: turn
            )
        } catch {
            fail(row, effects, at: place, reason: error.reason, in: turn)
        }
    }

    /// What holds the instance.
    private func holder(of place: InstanceTable.Place) -> HoldSubject? {
        holds.holding(instances.residents[place].stored.name)?.subject
    }

    /// An effect has ended while its instance is held: its outcome is delivered when that ends.
    private mutating func keep(
        _ outcome: StoredEffect.Body.Outcome, of row: StoredEffect, for subject: HoldSubject,
        _ effects: InstanceEffects, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        var row = row
        row.body.outcome = outcome
        row.body.phase = .delivering
        row.handlerQueue = nil
        row.due = now
        sleep(row, for: subject, effects, at: place)
    }

    func event(
        of result: JSONValue, for row: StoredEffect, at place: InstanceTable.Place
    ) throws(StepFailure) -> (any HostedEvent)? {
        guard let run = row.body.run, !row.body.isFinal else { return nil }
        // What a closure has to say it has said.
        if row.closureToken != nil { return nil }
        let name = instances.residents[place].stored.name.machine
        guard let definition = catalogue[name] else {
            throw .evaluation("machine \(name) isn't loaded")
        }
        return try definition.machine.event(ofResult: result, key: run.key, then: run.then)
    }

    /// An effect has ended well.
    mutating func complete(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        note: EffectRecord, event: (any HostedEvent)?, in turn: Turn
    ) {
        batch.effects.note(note.bytes)
        forgetClosure(of: row)
        if row.body.run?.undo != nil, !instances.residents[place].stored.isDone {
            var done = row
            done.due = nil
            done.handlerQueue = nil
            done.body.phase = .completed
            done.body.parent = nil
            effects.put(done)
        } else {
            effects.remove(row.ref.number)
        }
        leaveLedger(row, effects, at: place, turn.now)
        let failure = following(row) { $0.apply(event, of: row, at: place, in: turn) }
        let isWell = failure == nil || !row.isImmediateEvent
        if let failure, failure.isOfMachine, row.body.run?.undo == nil {
            let reason = "its result can't be applied: \(failure.summary)"
            giveUp(row, effects, reason: reason, turn.now)
            record(at: place, turn.now)
            return settled(row, .failed, reason: reason)
        }
        if row.body.parent != nil {
            ended(partOf: row.body.parent, effects, isWell: isWell, turn.now)
            markDirty(place)
        }
        settled(row, .completed)
    }

    private mutating func leaveLedger(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp
    ) {
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.ended(row.ref.ledgerID, now: now, drawing: draw, into: &commands)
        }
    }

    /// A try has failed: there is another one after a pause, or the effect has failed for good.
    mutating func fail(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        reason: String, isPermanent: Bool = true, pause least: Int64 = 0, in turn: Turn
    ) {
        var row = row
        row.handlerQueue = nil
        row.due = nil
        let reason = reason.prefixOfBytes(Limits.effectReasonBytesMax)
        row.body.reason = reason
        if !isPermanent, let pause = pause(after: row, least: least, turn.now) {
            batch.effects.note(
                EffectRecord(.retrying, row).with("reason", .string(reason))
                    .with(due: turn.now.advanced(by: pause)).bytes)
            row.body.failures += 1
            row.body.phase = .sleeping
            row.due = turn.now.advanced(by: pause)
            effects.put(row)
            record(at: place, turn.now)
            putOnAgenda(row, turn.now)
            return
        }
        if let subject = holder(of: place) {
            return keep(.failure(reason), of: row, for: subject, effects, at: place, turn.now)
        }
        effects.put(row)
        leaveLedger(row, effects, at: place, turn.now)
        giveUp(row, effects, reason: reason, turn.now)
        following(row) { $0.tell(of: row, effects, at: place, in: turn) }
        settled(row, .failed, reason: reason)
    }

    private mutating func pause(
        after row: StoredEffect, least: Int64, _ now: Timestamp
    ) -> Int64? {
        guard let run = row.body.run else { return nil }
        var generator = options.random
        let draw = Double.random(in: 0...1, using: &generator)
        options.random = generator
        return run.retry.pause(
            afterAttempt: row.body.failures + 1,
            elapsed: now.milliseconds - (row.body.begun ?? now.milliseconds), draw: draw,
            least: least)
    }

    /// An effect has failed for good: it is kept to be looked at, for now.
    mutating func giveUp(
        _ row: StoredEffect, _ effects: InstanceEffects, reason: String, _ now: Timestamp
    ) {
        batch.effects.note(EffectRecord(.failed, row).with("reason", .string(reason)).bytes)
        forgetClosure(of: row)
        var row = row
        row.due = nil
        row.handlerQueue = nil
        row.body.reason = reason
        row.body.phase = .failed
        // What came of it can't be applied: who tries it again makes it anew.
        row.body.outcome = nil
        effects.put(row)
        ended(partOf: row.body.parent, effects, isWell: false, now)
        effects.forgetOldFailures()
    }

    /// Tells the machine of a failure; one that has no event for it keeps the row.
    private mutating func tell(
        of row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        in turn: Turn
    ) {
        let name = instances.residents[place].stored.name.machine
        guard let run = row.body.run, !row.body.isFinal, let definition = catalogue[name],
            let event = definition.machine.event(
                ofFailure: row.body.reason ?? "", key: run.key)
        else { return record(at: place, turn.now) }
        effects.remove(row.ref.number)
        let failure = apply(event, of: row, at: place, in: turn)
        guard let failure, failure.isOfMachine else { return }
        // It stays to be looked at, as if the machine had no event for it.
        var row = row
        row.body.phase = .failed
        row.body.outcome = nil
        effects.put(row)
        effects.forgetOldFailures()
        markDirty(place)
    }

    /// Applies the event that an effect has caused, with the notes that were made so far; one that
    /// is refused is noted and changes nothing.
    ///
    /// - Returns: Why it was refused, if it was.
    mutating func apply(
        _ event: (any HostedEvent)?, of row: StoredEffect, at place: InstanceTable.Place,
        in turn: Turn
    ) -> Failure? {
        guard let event else {
            record(at: place, turn.now)
            return nil
        }
        let stored = instances.residents[place].stored
        do throws(Failure) {
            let text: [UInt8]
            do {
                text = try event.canonicalText()
            } catch {
                throw Failure(error, state: [], event: [])
            }
            let outer = witness(stored.name, effectNumber: row.ref.number, event: text)
            defer { unwitness(outer) }
            let send = Send(to: stored.name, event: .decoded(event), eventText: text)
            _ = try apply(send, to: place, in: turn)
            return nil
        } catch {
            batch.effects.note(
                EffectRecord(.refused, row).with("reason", .string(error.summary)).bytes)
            record(at: place, turn.now)
            return error
        }
    }

    /// Makes a record of what happened to effects, apart from any step.
    mutating func record(at place: InstanceTable.Place, _ now: Timestamp) {
        let notes = batch.effects.takeNotes()
        guard !notes.isEmpty else { return markDirty(place) }
        var record = JournalRecord(sequence: head + 1, kind: .effect)
        record.effects = notes
        record.isDone = instances.residents[place].stored.isDone
        let state =
            needsStateBefore(at: place) ? instances.residents[place].stored.state : nil
        append(&record, to: place, before: state, at: now)
    }
}

extension Failure {
    /// Whether the machine, or what is stored of it, couldn't take an event at all, as opposed to
    /// one that doesn't fit its state.
    var isOfMachine: Bool {
        switch self {
        case .evaluation, .evaluationLimit, .stepLimit, .stateTooLarge, .storageCorrupt,
            .noSuchMachine:
            true
        default: false
        }
    }
}

extension StoredEffect {
    /// Whether it is an event of a sequence, whose refusal ends that.
    fileprivate var isImmediateEvent: Bool {
        if case .after(milliseconds: 0, _)? = body.run?.work { body.parent != nil } else { false }
    }
}

extension StepFailure {
    /// What went wrong, in words.
    var reason: String {
        Failure(self, state: [], event: []).summary
    }
}

extension String {
    /// The beginning of the text, of at most so many bytes.
    package func prefixOfBytes(_ max: Int) -> String {
        guard utf8.count > max else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
