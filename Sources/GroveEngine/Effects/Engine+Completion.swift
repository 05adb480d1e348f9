import OrderedJSON
import Transducers

// The end of effects: the result or failure becomes an event, in one commit with the end.

extension Engine {
    /// Completes an effect with its result, which becomes an event of its instance.
    mutating func complete(_ row: StoredEffect, in live: LiveEffects, result: JSONValue) {
        if let subject = holder(of: live) {
            return keep(.result(result), of: row, for: subject, in: live)
        }
        do throws(StepFailure) {
            let event = try event(of: result, for: row, in: live)
            complete(row, in: live, record: EffectRecord(.completed, row), event: event)
        } catch {
            fail(row, in: live, reason: error.reason)
        }
    }

    private func holder(of live: LiveEffects) -> HoldSubject? {
        holds.holding(instances.residents[live.place].stored.name)?.subject
    }

    /// Keeps the outcome of an effect that has ended while its instance is held. It is delivered
    /// after the hold.
    private mutating func keep(
        _ outcome: StoredEffect.Body.Outcome, of row: StoredEffect, for subject: HoldSubject,
        in live: LiveEffects
    ) {
        var row = row
        row.body.outcome = outcome
        row.body.phase = .delivering
        row.handlerQueue = nil
        row.due = live.now
        sleep(row, for: subject, in: live)
    }

    /// The event that a result becomes.
    func event(
        of result: JSONValue, for row: StoredEffect, in live: LiveEffects
    ) throws(StepFailure) -> (any HostedEvent)? {
        guard let run = row.body.run, !row.body.isFinal else { return nil }
        // A closure has sent all its events before.
        if row.closureToken != nil { return nil }
        // Two of its members, because a copy of the snapshot counts a dozen references.
        let name = instances.residents[live.place].stored.name.machine
        let version = instances.residents[live.place].stored.definitionVersion
        guard let definition = catalogue.definition(named: name, version: version) else {
            throw .evaluation("machine \(name) isn't loaded")
        }
        return try definition.machine.event(ofResult: result, key: run.key, then: run.then)
    }

    /// Completes an effect and applies its event.
    mutating func complete(
        _ row: StoredEffect, in live: LiveEffects, record: consuming EffectRecord,
        event: (any HostedEvent)?
    ) {
        batch.effects.record(record)
        removeClosure(of: row)
        if row.body.run?.undo != nil, !instances.residents[live.place].stored.isDone {
            var done = row
            done.due = nil
            done.handlerQueue = nil
            done.body.phase = .completed
            done.body.parent = nil
            live.effects.put(done)
        } else {
            live.effects.remove(row.ref.number)
        }
        removeFromLedger(row, in: live)
        let failure = withCause(of: row) { $0.apply(event, of: row, in: live) }
        let succeeded = failure == nil || !row.isImmediateEvent
        if let failure, failure.isOfMachine, row.body.run?.undo == nil {
            let reason = "its result can't be applied: \(failure.summary)"
                .prefixOfBytes(Limits.effectReasonBytesMax)
            markFailed(row, in: live, reason: reason)
            withCause(of: row) { $0.applyRefusal(of: row, reason, in: live) }
            return resolveWaiters(for: row, .failed, reason: reason)
        }
        if row.body.parent != nil {
            endPart(of: row.body.parent, in: live, succeeded: succeeded)
            markDirty(live.place)
        }
        resolveWaiters(for: row, .completed)
    }

    /// Removes an effect that has ended from the ledger, which may start others.
    mutating func removeFromLedger(_ row: StoredEffect, in live: LiveEffects) {
        if live.effects.ledger.endAlone(row.ref.ledgerID) { return }
        change(live) { $0.ended(row.ref.ledgerID, now: $1, drawing: $2) }
    }

    /// Ends an attempt that failed. Either there is another one after a pause, or the effect has
    /// failed.
    mutating func fail(
        _ row: StoredEffect, in live: LiveEffects, reason: String, isPermanent: Bool = true,
        pause least: Int64 = 0
    ) {
        var row = row
        row.handlerQueue = nil
        row.due = nil
        let reason = reason.prefixOfBytes(Limits.effectReasonBytesMax)
        row.body.reason = reason
        if !isPermanent, let pause = pause(after: row, least: least, live.now) {
            let due = live.now.advanced(by: pause)
            batch.effects.record(
                EffectRecord(.retrying, row).with("reason", reason).with(due: due))
            row.body.failures += 1
            row.body.phase = .sleeping
            row.due = due
            live.effects.put(row)
            appendEffectRecord(live, of: row)
            return enqueueIfDue(row, at: live.now)
        }
        if let subject = holder(of: live) {
            return keep(.failure(reason), of: row, for: subject, in: live)
        }
        live.effects.put(row)
        removeFromLedger(row, in: live)
        markFailed(row, in: live, reason: reason)
        withCause(of: row) { $0.applyFailure(of: row, in: live) }
        resolveWaiters(for: row, .failed, reason: reason)
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

    /// Keeps an effect that has failed, for inspection and `retry`.
    private mutating func markFailed(
        _ row: StoredEffect, in live: LiveEffects, reason: String
    ) {
        batch.effects.record(EffectRecord(.failed, row).with("reason", reason))
        removeClosure(of: row)
        var row = row
        row.due = nil
        row.handlerQueue = nil
        row.body.reason = reason
        row.body.phase = .failed
        // It can't be applied: `retry` makes it again.
        row.body.outcome = nil
        live.effects.put(row)
        endPart(of: row.body.parent, in: live, succeeded: false)
        live.effects.expireFailures()
    }

    /// Applies the machine's event for a failure. Without such an event, the row stays.
    private mutating func applyFailure(of row: StoredEffect, in live: LiveEffects) {
        let stored = instances.residents[live.place].stored
        guard let run = row.body.run, !row.body.isFinal,
            let definition = catalogue.definition(of: stored),
            let event = definition.machine.event(
                ofFailure: row.body.reason ?? "", key: run.key, state: stored.state)
        else { return appendEffectRecord(live) }
        apply(event, ofFailed: row, in: live)
    }

    /// Applies the machine's event for a result that it couldn't apply. Without such an event, the
    /// row stays.
    private mutating func applyRefusal(
        of row: StoredEffect, _ reason: String, in live: LiveEffects
    ) {
        let stored = instances.residents[live.place].stored
        guard let run = row.body.run, !row.body.isFinal, let row = live[row.ref.number],
            let definition = catalogue.definition(of: stored),
            let event = definition.machine.event(
                ofRefusal: reason, key: run.key, state: stored.state)
        else { return appendEffectRecord(live) }
        apply(event, ofFailed: row, in: live)
    }

    /// Applies the machine's event for an effect that has failed, whose row goes then.
    private mutating func apply(
        _ event: any HostedEvent, ofFailed row: StoredEffect, in live: LiveEffects
    ) {
        live.effects.remove(row.ref.number)
        let failure = apply(event, of: row, in: live)
        guard let failure, failure.isOfMachine else { return }
        // It stays for inspection, as if the machine had no event for it.
        var row = row
        row.body.phase = .failed
        row.body.outcome = nil
        live.effects.put(row)
        live.effects.expireFailures()
        markDirty(live.place)
    }

    /// Applies the event that an effect has caused, with the changes recorded so far. A refused
    /// event is recorded and changes nothing.
    ///
    /// - Returns: The refusal, if it was refused.
    mutating func apply(
        _ event: (any HostedEvent)?, of row: StoredEffect, in live: LiveEffects
    ) -> Failure? {
        guard let event else {
            appendEffectRecord(live)
            return nil
        }
        let name = instances.residents[live.place].stored.name
        do throws(Failure) {
            let text: [UInt8]
            do {
                text = try event.canonicalText()
            } catch {
                throw Failure(error, state: [], event: [])
            }
            let outer = witness(name, effectNumber: row.ref.number, event: text)
            defer { unwitness(outer) }
            let send = Send(to: name, event: .decoded(event), eventText: text)
            _ = try apply(send, send.event, to: live.place, in: live.turn)
            return nil
        } catch {
            batch.effects.record(
                EffectRecord(.refused, row).with("reason", error.summary))
            appendEffectRecord(live)
            return error
        }
    }
}

extension Failure {
    /// Whether the machine, or what is stored of it, can't handle an event at all, as opposed to
    /// an event that doesn't fit its state.
    var isOfMachine: Bool {
        switch self {
        case .evaluation, .evaluationLimit, .stepLimit, .stateTooLarge, .storageCorrupt,
            .noSuchMachine:
            true
        default: false
        }
    }
}

extension StepFailure {
    var reason: String { Failure(self, state: [], event: []).summary }
}

extension String {
    /// The longest prefix of at most `max` bytes.
    package func prefixOfBytes(_ max: Int) -> String {
        guard utf8.count > max else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
