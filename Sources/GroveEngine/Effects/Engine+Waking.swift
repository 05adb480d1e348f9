import OrderedJSON
import Transducers

// What happens by itself: timers, sends, children, tries after a pause, steps of sequences. Each
// is found by the time it is due, and everything it does is one commit with the row's end.

extension Engine {
    /// When the next effect is due, as of the last commit, the next request gives up waiting, or
    /// handlers have room for what may wait in the store; `nil` for never. At that time
    /// ``takeDue(at:store:)`` wants to be called, and a flush behind it.
    public var nextDue: Timestamp? {
        var next = [schedule.nextDue, schedule.nextRefill].compactMap { $0 }.min()
        if !schedule.lost.isEmpty || !schedule.deferred.isEmpty {
            next = Timestamp(milliseconds: 0)
        }
        if let pause = schedule.notBefore { next = max(next ?? pause, pause) }
        let owed = schedule.owed.isEmpty ? nil : Timestamp(milliseconds: 0)
        return [next, waiters.nextDeadline, owed].compactMap { $0 }.min()
    }

    /// Takes effects that are due at `now`, a bounded number of them, as if they had been
    /// requests: they are committed by the next ``flush(to:at:settling:)``.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - limit: How many of those that are due by themselves are looked for.
    ///   - store: The store.
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func takeDue(
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
        try take(deferred, at: now, store: store)
        let limit = min(limit, Limits.effectsPerBatchMax) + schedule.unreadable.count
        for ref in try effectsDue(limit: limit, in: turn) {
            // The batch under way may have been there already.
            if schedule.unreadable.contains(ref) || batch.writes.effect(ref) != nil { continue }
            do throws(StoreError) {
                guard let row = try store.effect(ref) else { continue }
                batch.effects.agenda.append((ref, row.body.owner, false))
            } catch .corrupt {
                // Left alone; the others go on.
                schedule.unreadable.insert(ref)
            }
        }
        schedule.isDueStale = true
    }

    /// Effects that are due. Damaged ones are left alone, and the others go on.
    private mutating func effectsDue(limit: Int, in turn: Turn) throws(StoreError) -> [EffectRef] {
        do throws(StoreError) {
            return try turn.store.effectsDue(at: turn.now, limit: limit)
        } catch .corrupt {
            let found = try turn.store.soundEffectsDue(at: turn.now, limit: limit)
            schedule.unreadable.formUnion(found.damaged)
            return found.refs
        }
    }

    /// When the next effect is due that can be read.
    mutating func nextDue(in turn: Turn) throws(StoreError) -> Timestamp? {
        do throws(StoreError) {
            return try turn.store.nextDue()
        } catch .corrupt {
            let found = try turn.store.soundEffectsDue(at: Timestamp(milliseconds: .max), limit: 1)
            schedule.unreadable.formUnion(found.damaged)
            return found.due
        }
    }

    /// Does some of what is on the agenda, before the ``flush(to:at:settling:)`` that commits it:
    /// for a host that looks at its clock in between, because effects cost very different times.
    ///
    /// - Parameters:
    ///   - limit: How many effects of the batch are settled then, those of earlier calls counted.
    ///   - now: The present time.
    ///   - store: The store.
    /// - Returns: How many of the batch are settled, and whether the batch may take more of them.
    public mutating func settle(
        upTo limit: Int, at now: Timestamp, store: any Store
    ) -> (done: Int, hasMore: Bool) {
        let turn = Turn(now: now, store: store)
        batch.cause = EffectCause()
        settleEffects(upTo: limit, in: turn)
        return (
            batch.effects.done, hasRoomForEffects && batch.effects.done < batch.effects.agenda.count
        )
    }

    /// Whether the batch may take more of what is on the agenda.
    private var hasRoomForEffects: Bool {
        storage.failure == nil && batch.effects.done < Limits.effectsPerBatchMax
            && batch.bytes < Limits.batchBytesMax
    }

    /// Does what is on the agenda, as much as a batch may; the rest is due and comes next.
    mutating func settleEffects(upTo limit: Int, in turn: Turn) {
        while batch.effects.done < limit, hasRoomForEffects, let (ref, owner) = batch.effects.next()
        {
            do throws(Failure) {
                try wake(ref, owner: owner, in: turn)
            } catch {
                // The owner can't be read, or its row: nothing is lost, and nothing can be done.
                schedule.unreadable.insert(ref)
                _ = batch.effects.takeNotes()
            }
        }
        if batch.effects.done < batch.effects.agenda.count { schedule.isDueStale = true }
    }

    private mutating func wake(_ ref: EffectRef, owner: String, in turn: Turn) throws(Failure) {
        guard let name = InstanceName(owner) else { return }
        guard case .resident(let place) = try find(name, in: turn),
            instances.residents[place].stored.number == ref.instance
        else { return try wakeOrphan(ref, in: turn) }
        try readEffects(at: place, in: turn)
        guard let effects = instances.residents[place].effects, let row = effects[ref.number]
        else { return }
        let outer = witness(name, effectNumber: ref.number)
        defer { unwitness(outer) }
        if row.body.phase != .stopping, let (subject, _) = holds.holding(name) {
            let waits = row.handlerQueue != nil && schedule.handlerQueues.attempt(of: ref) == nil
            if isDue(row, turn.now) || waits { sleep(row, for: subject, effects, at: place) }
            return
        }
        if row.body.asleep != nil { return rouse(row, effects, at: place, turn.now) }
        if row.body.phase == .active, closures.hasLost(row), catalogue[name.machine] != nil {
            return resumeClosures(at: place, effects, turn.now)
        }
        guard isDue(row, turn.now) else { return }
        guard catalogue[name.machine] != nil || row.body.phase == .stopping else {
            var row = row
            row.due = turn.now.advanced(by: Limits.postponementMilliseconds)
            effects.put(row)
            return markDirty(place)
        }
        switch row.body.phase {
        case .sequence:
            advance(ref.number, effects, at: place, turn.now)
            record(at: place, turn.now)
        case .sleeping where row.body.begun == nil:
            begin(row, effects, turn.now)
            record(at: place, turn.now)
        case .sleeping:
            try wake(row, effects, at: place, in: turn)
        case .asking:
            fail(row, effects, at: place, reason: "no answer came in time", in: turn)
        case .delivering:
            deliver(row, effects, at: place, in: turn)
        case .stopping:
            try stopChild(of: row, in: turn)
            effects.remove(ref.number)
            markDirty(place)
        case .waiting, .active, .child, .failed, .completed:
            preconditionFailure("an effect that is \(row.body.phase.rawValue) is not due")
        }
    }

    private mutating func wake(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        in turn: Turn
    ) throws(Failure) {
        guard let run = row.body.run else { return }
        switch run.work {
        case .after(let delay, let event):
            fire(row, event, effects, at: place, late: lateness(of: row, delay, turn.now), in: turn)
        case .perform(let handler, let argument):
            let queue = schedule.handlerQueues.name(for: handler, argument)
            tryAgain(row, queue, effects, at: place, turn.now)
        case .send(let target, let event, _):
            send(row, event, to: target, effects, at: place, in: turn)
        case .start(let machine, let instance, let input, _):
            startChild(
                row, machine: machine, instance: instance, input: input, effects, at: place,
                in: turn)
        case .compensate:
            compensate(row, effects, at: place, turn.now)
        case .closure:
            // Its turn has come after its process has ended.
            cancel(runs: [row.ref.number], effects, at: place, turn.now)
            record(at: place, turn.now)
        case .ask: break
        }
    }

    /// The row of an instance that is gone: only children are still to be stopped.
    private mutating func wakeOrphan(_ ref: EffectRef, in turn: Turn) throws(Failure) {
        let row: StoredEffect?
        if let pending = batch.writes.effect(ref) {
            row = pending.row
        } else {
            row = try reading { () throws(StoreError) in try turn.store.effect(ref) }
        }
        guard let row else { return }
        if row.body.phase == .stopping { try stopChild(of: row, in: turn) }
        batch.writes.write(nil, of: ref, isNew: false)
        schedule.isDueStale = true
    }

    // MARK: Timers

    private func lateness(of row: StoredEffect, _ delay: Int64, _ now: Timestamp) -> JSONValue? {
        guard let begun = row.body.begun else { return nil }
        let due = Timestamp(milliseconds: begun).advanced(by: delay)
        guard now > due else { return nil }
        return .integer(now.milliseconds - due.milliseconds)
    }

    private mutating func fire(
        _ row: StoredEffect, _ event: JSONValue, _ effects: InstanceEffects,
        at place: InstanceTable.Place, late: JSONValue?, in turn: Turn
    ) {
        let note = EffectRecord(.completed, row).with("late_ms", late)
        do throws(Failure) {
            let machine = try definition(at: place).machine
            let decoded: any HostedEvent
            do throws(EventError) {
                decoded = try machine.decodeEvent(event)
            } catch {
                throw .badEvent(
                    path: error.path, message: error.message, expected: error.expected)
            }
            complete(row, effects, at: place, note: note, event: decoded, in: turn)
        } catch {
            fail(row, effects, at: place, reason: error.summary, in: turn)
        }
    }

    private func definition(at place: InstanceTable.Place) throws(Failure) -> Definition {
        let machine = instances.residents[place].stored.name.machine
        guard let definition = catalogue[machine] else { throw .noSuchMachine(machine) }
        return definition
    }

    private mutating func tryAgain(
        _ row: StoredEffect, _ queue: String, _ effects: InstanceEffects,
        at place: InstanceTable.Place, _ now: Timestamp
    ) {
        var row = row
        row.body.phase = .active
        row.due = nil
        row.handlerQueue = queue
        effects.put(row)
        batch.effects.ready.append((row.ref, row))
        batch.effects.note(EffectRecord(.started, row).bytes)
        record(at: place, now)
    }

    // MARK: Sends

    private mutating func send(
        _ row: StoredEffect, _ event: JSONValue, to target: String, _ effects: InstanceEffects,
        at place: InstanceTable.Place, in turn: Turn
    ) {
        let sender = instances.residents[place].stored.name.machine
        let failure = following(row) {
            $0.send(event, from: sender, to: target, create: .ifAbsent, in: turn)
        }
        // One that goes to the instance itself may have cancelled what sends it.
        guard effects[row.ref.number] != nil else { return record(at: place, turn.now) }
        guard let failure else {
            complete(
                row, effects, at: place, note: EffectRecord(.completed, row), event: nil, in: turn)
            return
        }
        if case .held(let subject, _) = failure {
            return sleep(row, for: subject, effects, at: place)
        }
        fail(row, effects, at: place, reason: failure.summary, in: turn)
    }

    /// Sends an event on behalf of an instance. One that only its machine sends is refused from
    /// another machine, which may have been told by a client what to send (`periodic`).
    ///
    /// - Parameter sender: The machine that sends; `nil` for the first event of a child, which the
    ///   parent's author has chosen.
    /// - Returns: Why it was refused, if it was.
    mutating func send(
        _ event: JSONValue, from sender: String?, to target: String, create: Send.CreateMode,
        in turn: Turn
    ) -> Failure? {
        guard let name = InstanceName(target) else {
            return .badRequest(path: "$.to", message: "\"\(target)\" is no machine/instance")
        }
        guard let definition = catalogue[name.machine] else { return .noSuchMachine(name.machine) }
        // To read the event may be what ends the process.
        if holds.hasTrapped(name), let (subject, hold) = holds.holding(name) {
            return .held(subject, hold.kind)
        }
        let input: EventInput
        do {
            let decoded = try definition.machine.decodeEvent(event)
            let isForeign = sender.map { $0 != name.machine } ?? false
            let internalName = isForeign ? definition.internalName(of: decoded) : nil
            input =
                internalName.map { .internalOnly(decoded, name: $0) } ?? .decoded(decoded)
        } catch {
            input = .undecodable(error)
        }
        let notes = batch.effects.takeNotes()
        precondition(notes.isEmpty, "notes belong to the record that is being made")
        let send = Send(to: name, event: input, eventText: event.serialized(), create: create)
        guard case .failure(let failure) = self.send(send, in: turn) else {
            return nil
        }
        return failure
    }
}
