import OrderedJSON
import Transducers

// Due effects: timers, sends, children, attempts after a pause, steps of sequences. All that one
// does is one commit with the end of its row.

extension Engine {
    /// The next time to call ``enqueueDue(at:limit:store:)`` and then flush: an effect is due, a
    /// request times out, or handlers have room for effects in the store. `nil` for never.
    public var nextDue: Timestamp? {
        var next = [schedule.nextDue, schedule.nextRefill].compactMap { $0 }.min()
        if !schedule.lost.isEmpty || !schedule.deferred.isEmpty {
            next = Timestamp(milliseconds: 0)
        }
        if let pause = schedule.notBefore { next = max(next ?? pause, pause) }
        let owed = schedule.owed.count == 0 ? nil : Timestamp(milliseconds: 0)
        return [next, waiters.nextDeadline, owed].compactMap { $0 }.min()
    }

    /// Enqueues effects that are due, a bounded number. The next ``flush(to:at:settling:)``
    /// commits them.
    ///
    /// - Parameter limit: The number of due effects to look for in the store.
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func enqueueDue(
        at now: Timestamp, limit: Int = Limits.effectsPerBatchMax, store: any Store
    ) throws(StoreError) {
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        if let pause = schedule.notBefore {
            guard now >= pause else { return }
            schedule.notBefore = nil
        }
        schedule.moveLost(to: &batch.effects)
        let deferred = schedule.deferred
        schedule.deferred = []
        try receive(deferred, at: now, store: store)
        let limit = min(limit, Limits.effectsPerBatchMax) + schedule.unreadable.count
        for ref in try effectsDue(limit: limit, in: turn) {
            // This batch may have changed it already.
            if schedule.unreadable.contains(ref) || batch.writes.effect(ref) != nil { continue }
            guard let row = try readable(ref, in: turn) else { continue }
            batch.effects.due.append((ref, row.body.owner, false))
        }
        schedule.isDueStale = true
    }

    /// Effects that are due. Skips damaged ones.
    private mutating func effectsDue(limit: Int, in turn: Turn) throws(StoreError) -> [EffectRef] {
        do throws(StoreError) {
            return try turn.store.effectsDue(at: turn.now, limit: limit)
        } catch .corrupt {
            let found = try turn.store.soundEffectsDue(at: turn.now, limit: limit)
            schedule.unreadable.formUnion(found.damaged)
            return found.refs
        }
    }

    /// The time of the next readable due effect.
    mutating func nextDue(in turn: Turn) throws(StoreError) -> Timestamp? {
        do throws(StoreError) {
            return try turn.store.nextDue()
        } catch .corrupt {
            let found = try turn.store.soundEffectsDue(at: Timestamp(milliseconds: .max), limit: 1)
            schedule.unreadable.formUnion(found.damaged)
            return found.due
        }
    }

    /// Applies some due effects before the ``flush(to:at:settling:)`` that commits them. The costs
    /// of effects differ a lot, so a server looks at its clock between calls.
    ///
    /// - Parameter limit: The number of applied effects in the batch, including those of earlier
    ///   calls.
    /// - Returns: The number of applied effects, and whether the batch can take more.
    public mutating func applyDue(
        upTo limit: Int, at now: Timestamp, store: any Store
    ) -> (done: Int, hasMore: Bool) {
        batch.cause = EffectCause()
        applyDue(upTo: limit, in: Turn(now: now, store: store))
        return (
            batch.effects.done, hasRoomForEffects && batch.effects.done < batch.effects.due.count
        )
    }

    /// Whether the batch can take more due effects.
    private var hasRoomForEffects: Bool {
        storage.failure == nil && batch.effects.done < Limits.effectsPerBatchMax
            && batch.bytes < Limits.batchBytesMax
    }

    /// Applies due effects, as many as a batch may have. The next batch has the rest.
    mutating func applyDue(upTo limit: Int, in turn: Turn) {
        while batch.effects.done < limit, hasRoomForEffects, let (ref, owner) = batch.effects.next()
        {
            applyOrSkip(ref, owner: owner, in: turn)
        }
        if batch.effects.done < batch.effects.due.count { schedule.isDueStale = true }
    }

    /// Applies a due effect, or skips it until the next start if it can't be read.
    mutating func applyOrSkip(_ ref: EffectRef, owner: String, in turn: Turn) {
        do throws(Failure) {
            try apply(ref, owner: owner, in: turn)
        } catch {
            // The owner or its row can't be read. Nothing is lost: it stays in the store.
            schedule.unreadable.insert(ref)
            _ = batch.effects.removeRecords()
        }
    }

    private mutating func apply(_ ref: EffectRef, owner: String, in turn: Turn) throws(Failure) {
        guard let name = InstanceName(owner) else { return }
        guard case .resident(let place) = try find(name, in: turn),
            instances.residents[place].stored.number == ref.instance
        else { return try applyOrphan(ref, in: turn) }
        try readEffects(at: place, in: turn)
        guard let effects = instances.residents[place].effects, let row = effects[ref.number]
        else { return }
        let live = LiveEffects(effects: effects, place: place, turn: turn)
        let outer = witness(name, effectNumber: ref.number)
        defer { unwitness(outer) }
        if row.body.phase != .stopping, let (subject, _) = holds.holding(name) {
            let waits =
                row.handlerQueue != nil && schedule.handlerQueues.attempt(of: ref) == nil
            if row.isDue(at: turn.now) || waits { sleep(row, for: subject, in: live) }
            return
        }
        if row.body.asleep != nil { return wake(row, in: live) }
        if row.body.phase == .active, closures.hasLost(row), catalogue[name.machine] != nil {
            return resumeClosures(live)
        }
        guard row.isDue(at: turn.now) else { return }
        guard catalogue[name.machine] != nil || row.body.phase == .stopping else {
            var row = row
            row.due = turn.now.advanced(by: Limits.postponementMilliseconds)
            effects.put(row)
            return markDirty(place)
        }
        switch row.body.phase {
        case .sequence:
            advanceSequence(ref.number, in: live)
            appendEffectRecord(live, of: row)
        case .sleeping where row.body.begun == nil:
            begin(row, in: live)
            appendEffectRecord(live, of: row)
        case .sleeping:
            runWork(of: row, in: live)
        case .asking:
            fail(row, in: live, reason: "no answer came in time")
        case .delivering:
            guard deliverLastEvents(before: row, in: live), let row = live[ref.number] else {
                return
            }
            deliver(row, in: live)
        case .stopping:
            try stopChild(of: row, in: turn)
            effects.remove(ref.number)
            markDirty(place)
        case .waiting, .active, .child, .failed, .completed:
            preconditionFailure("an effect that is \(row.body.phase.rawValue) is not due")
        }
    }

    /// Applies the outcome that an effect has.
    private mutating func deliver(_ row: StoredEffect, in live: LiveEffects) {
        switch row.body.outcome {
        case .result(let value)?: complete(row, in: live, result: value)
        case .failure(let reason)?: fail(row, in: live, reason: reason)
        case nil: fail(row, in: live, reason: "nothing was given")
        }
    }

    /// Runs the work of an effect whose time has come.
    private mutating func runWork(of row: StoredEffect, in live: LiveEffects) {
        guard let run = row.body.run else { return }
        switch run.work {
        case .after(let delay, let event):
            fire(row, event, in: live, late: lateness(of: row, delay, live.now))
        case .perform(let handler, let argument):
            let queue = schedule.handlerQueues.name(for: handler, argument)
            startAttempt(row, in: live, handlerQueue: queue)
        case .send(let target, let event, _):
            send(row, event, to: target, in: live)
        case .start(let machine, let instance, let input, _):
            startChild(row, machine: machine, instance: instance, input: input, in: live)
        case .compensate:
            compensate(row, in: live)
        case .closure:
            // The process of the closure has ended.
            cancel([row.ref.number], in: live)
            appendEffectRecord(live)
        case .ask: break
        }
    }

    /// Removes the row of an instance that is gone. Its child is stopped first.
    private mutating func applyOrphan(_ ref: EffectRef, in turn: Turn) throws(Failure) {
        guard let row = try currentRow(of: ref, in: turn) else { return }
        if row.body.phase == .stopping { try stopChild(of: row, in: turn) }
        batch.writes.write(nil, of: ref, isNew: false)
        schedule.isDueStale = true
    }

    /// The row of an effect as the batch has it, or else as the store has it.
    mutating func currentRow(of ref: EffectRef, in turn: Turn) throws(Failure) -> StoredEffect? {
        if let pending = batch.writes.effect(ref) { return pending.row }
        return try reading { () throws(StoreError) in try turn.store.effect(ref) }
    }

    // MARK: Timers

    private func lateness(of row: StoredEffect, _ delay: Int64, _ now: Timestamp) -> Int64? {
        guard let begun = row.body.begun else { return nil }
        let due = Timestamp(milliseconds: begun).advanced(by: delay)
        guard now > due else { return nil }
        return now.milliseconds - due.milliseconds
    }

    private mutating func fire(
        _ row: StoredEffect, _ event: JSONValue, in live: LiveEffects, late: Int64?
    ) {
        do throws(Failure) {
            let definition = try definition(of: instances.residents[live.place].stored)
            let decoded: any HostedEvent
            do throws(EventError) {
                decoded = try definition.machine.decodeEvent(event)
            } catch {
                throw .badEvent(
                    path: error.path, message: error.message, expected: error.expected)
            }
            complete(
                row, in: live, record: EffectRecord(.completed, row).with("late_ms", late),
                event: decoded)
        } catch {
            fail(row, in: live, reason: error.summary)
        }
    }

    private mutating func startAttempt(
        _ row: StoredEffect, in live: LiveEffects, handlerQueue: String
    ) {
        var row = row
        row.body.phase = .active
        row.due = nil
        row.handlerQueue = handlerQueue
        live.effects.put(row)
        batch.effects.ready.append((row, instances.residents[live.place].stored.name))
        batch.effects.record(EffectRecord(.started, row))
        appendEffectRecord(live, of: row)
    }
}
