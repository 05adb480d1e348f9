import OrderedJSON
import Transducers

// What happens by itself: timers, sends, children, tries after a pause, steps of sequences. Each
// is found by the time it is due, and everything it does is one commit with the row's end.

extension Engine {
    /// When the next effect is due, as of the last commit, the next request gives up waiting, or
    /// handlers have room for what may wait in the store; `nil` for never. At that time
    /// ``takeDue(at:store:)`` wants to be called, and a flush behind it.
    public var nextDue: Timestamp? {
        var next = [effectWork.nextDue, effectWork.nextRefill].compactMap { $0 }.min()
        if !effectWork.lost.isEmpty || !effectWork.deferred.isEmpty {
            next = Timestamp(milliseconds: 0)
        }
        if let pause = effectWork.notBefore { next = max(next ?? pause, pause) }
        return [next, waiters.nextDeadline].compactMap { $0 }.min()
    }

    /// Takes effects that are due at `now`, a bounded number of them, as if they had been
    /// requests: they are committed by the next ``flush(to:at:)``.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func takeDue(at now: Timestamp, store: any Store) throws(StoreError) {
        if let failure { throw failure }
        effectWork.agenda += effectWork.lost
        effectWork.lost = []
        let deferred = effectWork.deferred
        effectWork.deferred = []
        try take(deferred, at: now, store: store)
        let limit = Limits.effectsPerBatchMax + effectWork.unreadable.count
        for ref in try store.effectsDue(at: now, limit: limit) {
            // The batch under way may have been there already.
            if effectWork.unreadable.contains(ref) || batch.writes.effect(ref) != nil { continue }
            do throws(StoreError) {
                guard let row = try store.effect(ref) else { continue }
                effectWork.agenda.append((ref, row.body.owner))
            } catch .corrupt {
                // Left alone; the others go on.
                effectWork.unreadable.insert(ref)
            }
        }
        effectWork.isDueStale = true
    }

    /// Does what is on the agenda, as much as a batch may; the rest is due and comes next.
    mutating func settleEffects(at now: Timestamp, store: any Store) {
        while effectWork.done < Limits.effectsPerBatchMax, batch.bytes < Limits.batchBytesMax,
            failure == nil, let (ref, owner) = effectWork.next()
        {
            do throws(Failure) {
                try wake(ref, owner: owner, now, store: store)
            } catch {
                // The owner can't be read, or its row: nothing is lost, and nothing can be done.
                effectWork.unreadable.insert(ref)
                _ = effectWork.takeNotes()
            }
        }
        if effectWork.done < effectWork.agenda.count { effectWork.isDueStale = true }
    }

    private mutating func wake(
        _ ref: EffectRef, owner: String, _ now: Timestamp, store: any Store
    ) throws(Failure) {
        guard let name = InstanceName(owner) else { return }
        guard case .resident(let place) = try find(name, store: store),
            instances.residents[place].stored.number == ref.number
        else { return try wakeOrphan(ref, now, store: store) }
        try readEffects(at: place, store: store)
        guard let effects = instances.residents[place].effects, let row = effects[ref.run]
        else { return }
        if row.body.phase == .active, closures.hasLost(row), catalogue[name.machine] != nil {
            return resumeClosures(at: place, effects, now)
        }
        guard isDue(row, now) else { return }
        guard catalogue[name.machine] != nil || row.body.phase == .stopping else {
            var row = row
            row.due = now.advanced(by: Limits.postponementMilliseconds)
            effects.put(row)
            return markDirty(place)
        }
        switch row.body.phase {
        case .sequence:
            advance(ref.run, effects, at: place, now)
            record(at: place, now)
        case .sleeping where row.body.begun == nil:
            begin(row, effects, now)
            record(at: place, now)
        case .sleeping:
            try wake(row, effects, at: place, now, store: store)
        case .asking:
            fail(row, effects, at: place, reason: "no answer came in time", now, store: store)
        case .delivering:
            deliver(row, effects, at: place, now, store: store)
        case .stopping:
            try stopChild(of: row, now, store: store)
            effects.remove(ref.run)
            markDirty(place)
        case .waiting, .active, .child, .failed, .completed:
            preconditionFailure("an effect that is \(row.body.phase.rawValue) is not due")
        }
    }

    private mutating func wake(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp, store: any Store
    ) throws(Failure) {
        guard let run = row.body.run else { return }
        switch run.work {
        case .after(let delay, let event):
            fire(row, event, effects, at: place, late: lateness(of: row, delay, now), now, store)
        case .perform(let handler, _):
            tryAgain(row, handler, effects, at: place, now)
        case .send(let target, let event, _):
            send(row, event, to: target, effects, at: place, now, store: store)
        case .start(let machine, let instance, let input, _):
            startChild(
                row, machine: machine, instance: instance, input: input, effects, at: place, now,
                store: store)
        case .compensate:
            compensate(row, effects, at: place, now)
        case .closure:
            // Its turn has come after its process has ended.
            change(effects, at: place, now) { ledger, now, draw, commands in
                ledger.cancel(now: now, drawing: draw, into: &commands) {
                    $0.id == row.ref.effectRun
                }
            }
            record(at: place, now)
        case .ask: break
        }
    }

    /// The row of an instance that is gone: only children are still to be stopped.
    private mutating func wakeOrphan(
        _ ref: EffectRef, _ now: Timestamp, store: any Store
    ) throws(Failure) {
        let row: StoredEffect?
        if let pending = batch.writes.effect(ref) {
            row = pending.row
        } else {
            row = try reading { () throws(StoreError) in try store.effect(ref) }
        }
        guard let row else { return }
        if row.body.phase == .stopping { try stopChild(of: row, now, store: store) }
        batch.writes.write(nil, of: ref, isNew: false)
        effectWork.isDueStale = true
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
        at place: InstanceTable.Place, late: JSONValue?, _ now: Timestamp, _ store: any Store
    ) {
        let note = EffectNote(.completed, row).with("late_ms", late)
        do throws(Failure) {
            let machine = try definition(at: place).machine
            let decoded: any HostedEvent
            do throws(EventError) {
                decoded = try machine.decodeEvent(event)
            } catch {
                throw .badEvent(
                    path: error.path, message: error.message, expected: error.expected)
            }
            complete(row, effects, at: place, note: note, event: decoded, now, store: store)
        } catch {
            fail(row, effects, at: place, reason: error.summary, now, store: store)
        }
    }

    private func definition(at place: InstanceTable.Place) throws(Failure) -> Definition {
        let machine = instances.residents[place].stored.name.machine
        guard let definition = catalogue[machine] else { throw .noSuchMachine(machine) }
        return definition
    }

    private mutating func tryAgain(
        _ row: StoredEffect, _ handler: String, _ effects: InstanceEffects,
        at place: InstanceTable.Place, _ now: Timestamp
    ) {
        var row = row
        row.body.phase = .active
        row.due = nil
        row.lane = handler
        effects.put(row)
        effectWork.ready.append((row.ref, row))
        effectWork.note(EffectNote(.started, row).bytes)
        record(at: place, now)
    }

    // MARK: Sends

    private mutating func send(
        _ row: StoredEffect, _ event: JSONValue, to target: String, _ effects: InstanceEffects,
        at place: InstanceTable.Place, _ now: Timestamp, store: any Store
    ) {
        let failure = following(row) {
            $0.send(event, to: target, create: .ifAbsent, now, store: store)
        }
        // One that goes to the instance itself may have cancelled what sends it.
        guard effects[row.ref.run] != nil else { return record(at: place, now) }
        guard let failure else {
            complete(
                row, effects, at: place, note: EffectNote(.completed, row), event: nil, now,
                store: store)
            return
        }
        fail(row, effects, at: place, reason: failure.summary, now, store: store)
    }

    /// Sends an event on behalf of an instance.
    ///
    /// - Returns: Why it was refused, if it was.
    private mutating func send(
        _ event: JSONValue, to target: String, create: Send.CreateMode, _ now: Timestamp,
        store: any Store
    ) -> Failure? {
        guard let name = InstanceName(target) else {
            return .badRequest(path: "$.to", message: "\"\(target)\" is no machine/instance")
        }
        guard let definition = catalogue[name.machine] else { return .noSuchMachine(name.machine) }
        let input: EventInput
        do {
            input = .decoded(try definition.machine.decodeEvent(event))
        } catch {
            input = .undecodable(error)
        }
        let notes = effectWork.takeNotes()
        precondition(notes.isEmpty, "notes belong to the record that is being made")
        let send = Send(to: name, event: input, eventText: event.serialized(), create: create)
        guard case .failure(let failure) = self.send(send, at: now, store: store).reply else {
            return nil
        }
        return failure
    }

    // MARK: Children

    private mutating func startChild(
        _ row: StoredEffect, machine: String, instance: String?, input: JSONValue?,
        _ effects: InstanceEffects, at place: InstanceTable.Place, _ now: Timestamp,
        store: any Store
    ) {
        let text = "\(machine)/" + (instance ?? childName(of: row, at: place))
        do throws(Failure) {
            guard let name = InstanceName(text) else {
                throw .badRequest(path: "$.to", message: "\"\(text)\" is no machine/instance")
            }
            let child = try makeChild(name, of: row, input: input, now, store: store)
            var row = row
            row.due = nil
            row.body.child = text
            row.body.phase = .child
            effects.put(row)
            record(at: place, now)
            if instances.residents[child].stored.isDone {
                tellParent(of: child, stopReason: nil, now, store: store)
            }
        } catch {
            fail(row, effects, at: place, reason: error.summary, now, store: store)
        }
    }

    /// The parent's name, the effect's id if it can stand in a name, and the run's number, which
    /// keeps two of them apart.
    private func childName(of row: StoredEffect, at place: InstanceTable.Place) -> String {
        let parent = instances.residents[place].stored.name.instance
        let id = row.body.run?.key.text ?? "child"
        let allowed = id.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "-")
            }
        }
        let tail = "." + String(decoding: allowed.prefix(64), as: UTF8.self) + ".\(row.ref.run)"
        let room = Limits.instanceNameBytesMax - tail.utf8.count
        return String(decoding: parent.utf8.prefix(room), as: UTF8.self) + tail
    }

    private mutating func makeChild(
        _ name: InstanceName, of row: StoredEffect, input: JSONValue?, _ now: Timestamp,
        store: any Store
    ) throws(Failure) -> InstanceTable.Place {
        if let input {
            if let failure = send(input, to: name.text, create: .must, now, store: store) {
                throw failure
            }
        } else {
            let create = Create(to: name, hasInput: false, dedup: nil)
            if case .failure(let failure) = self.create(create, at: now, store: store).reply {
                throw failure
            }
        }
        guard let child = instances.place(of: name) else {
            preconditionFailure("what was just made is in memory")
        }
        instances.residents[child].stored.parent = StoredInstance.Parent(
            name: row.body.owner, ref: row.ref)
        markDirty(child)
        return child
    }

    /// An instance has ended: if it is a child, its parent gets the result, or the failure.
    ///
    /// - Parameter stopReason: Why it was stopped; `nil` when it came to its end.
    mutating func tellParent(
        of place: InstanceTable.Place, stopReason: String?, _ now: Timestamp, store: any Store
    ) {
        let child = instances.residents[place].stored
        guard let parent = child.parent, let name = InstanceName(parent.name) else { return }
        do throws(Failure) {
            guard case .resident(let home) = try find(name, store: store),
                instances.residents[home].stored.number == parent.ref.number
            else { return }
            try readEffects(at: home, store: store)
            guard let effects = instances.residents[home].effects,
                var row = effects[parent.ref.run], row.body.phase == .child
            else { return }
            if let stopReason {
                let reason = stopReason.isEmpty ? "" : ": \(stopReason)"
                row.body.outcome = .failure("\(child.name) was stopped\(reason)")
            } else {
                row.body.outcome = .result(Self.value(of: child.result))
            }
            row.body.phase = .delivering
            row.due = now
            effects.put(row)
            markDirty(home)
            putOnAgenda(row, now)
        } catch {
            // A parent that can't be read can't be told; reading it says what is wrong with it.
        }
    }

    private static func value(of result: [UInt8]?) -> JSONValue {
        // What an instance has stored as its result is JSON.
        result.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }

    private mutating func deliver(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp, store: any Store
    ) {
        switch row.body.outcome {
        case .result(let value)?:
            complete(row, effects, at: place, result: value, now, store: store)
        case .failure(let reason)?:
            fail(row, effects, at: place, reason: reason, now, store: store)
        case nil:
            fail(row, effects, at: place, reason: "nothing was given", now, store: store)
        }
    }

    private mutating func stopChild(
        of row: StoredEffect, _ now: Timestamp, store: any Store
    ) throws(Failure) {
        guard let text = row.body.child, let name = InstanceName(text),
            case .resident(let place) = try find(name, store: store)
        else { return }
        let stored = instances.residents[place].stored
        guard stored.parent?.ref == row.ref, !stored.isDone else { return }
        let reason = "its parent \(row.body.owner) ended or cancelled it"
        if case .failure(let failure) = stop(name, reason: reason, at: now, store: store).reply {
            throw failure
        }
    }

    // MARK: Compensation

    /// What has been completed and can be undone becomes a sequence, the last one first.
    private mutating func compensate(
        _ row: StoredEffect, _ effects: InstanceEffects, at place: InstanceTable.Place,
        _ now: Timestamp
    ) {
        var undos: [HostedEffect] = []
        for done in effects.sorted.reversed() where done.body.phase == .completed {
            effects.remove(done.ref.run)
            guard let undo = done.body.run?.undo else { continue }
            undos.append(.start(HostedRun(undoing: undo, of: done)))
        }
        effectWork.note(
            EffectNote(.completed, row).with("undoes", .integer(Int64(undos.count))).bytes)
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.ended(row.ref.effectRun, now: now, drawing: draw, into: &commands)
        }
        var sequence = row
        sequence.due = nil
        sequence.body.phase = .sequence
        sequence.body.run = nil
        sequence.body.rest = undos
        sequence.body.goesOn = true
        effects.put(sequence)
        advance(row.ref.run, effects, at: place, now)
        record(at: place, now)
    }
}

extension HostedRun {
    /// The work that undoes an effect: tried for a long time, because half undone is worst.
    init(undoing undo: Undo, of done: StoredEffect) {
        self.init(
            key: HostedKey(id: nil),
            work: .perform(handler: undo.handler, argument: undo.argument),
            retry: RetryPolicy(attemptsMax: 50))
    }
}

extension EffectRef {
    /// The run as a ledger has it.
    var effectRun: EffectRunID { EffectRunID(UInt64(run)) }
}

extension Failure {
    /// The refusal in a few words, for whoever asked for the effect.
    var summary: String {
        switch self {
        case .badRequest(_, let message): message
        case .noSuchMachine(let name): "there is no machine \(name)"
        case .noSuchInstance(let name): "there is no instance \(name)"
        case .alreadyExists(let name, _): "\(name) exists already"
        case .instanceDone(let name, _): "\(name) is done"
        case .badEvent(let path, let message, _): "the event doesn't fit: \(message) at \(path)"
        case .eventRejected(let reason, _, _, _): "the event was rejected: \(reason)"
        case .evaluation(let message), .evaluationLimit(let message), .limit(let message):
            message
        case .stepLimit(let max): "the event caused more than \(max) immediate events"
        case .stateTooLarge(let bytes, let max): "the state would have \(bytes) of \(max) bytes"
        case .storageCorrupt(let place): "stored bytes are damaged: \(place)"
        case .noSuchEffect(let message): message
        case .overloaded, .timeout, .dedupMismatch, .versionConflict, .versionPastEnd,
            .cursorTooOld,
            .cursorForeign, .noSuchSubscription, .storageFull:
            "it was refused"
        }
    }
}
