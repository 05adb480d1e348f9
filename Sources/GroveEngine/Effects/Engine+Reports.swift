import OrderedJSON
import Transducers

// Handlers: what is handed out to them, and what they report.

extension Engine {
    /// Takes what handlers report, in order, as if they were requests. A report of a try that
    /// isn't current any more changes nothing.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func take(
        _ reports: [EffectReport], at now: Timestamp, store: any Store
    ) throws(StoreError) {
        let turn = Turn(now: now, store: store)
        // Those that wait for room on the disk come first.
        guard schedule.deferred.isEmpty else {
            schedule.deferred += reports
            return
        }
        for report in reports {
            if let failure = storage.failure { throw failure }
            batch.effects.reports.append(report)
            let wasApplied = take(report, in: turn)
            if let answer = report.answer { batch.effects.answers.append((answer, wasApplied)) }
        }
        if let failure = storage.failure { throw failure }
    }

    private mutating func take(_ report: EffectReport, in turn: Turn) -> Bool {
        guard schedule.handlerQueues.attempt(of: report.ref) == report.attempt else { return false }
        if report.isLast { batch.effects.finished.append(report.ref) }
        let outer = witness(report.owner, effectNumber: report.ref.number)
        defer { unwitness(outer) }
        do throws(Failure) {
            guard case .resident(let place) = try find(report.owner, in: turn),
                instances.residents[place].stored.number == report.ref.instance
            else { return false }
            try readEffects(at: place, in: turn)
            guard let effects = instances.residents[place].effects,
                let row = effects[report.ref.number], row.body.phase == .active,
                row.body.failures + 1 == report.attempt
            else {
                noteStale(report, at: place, turn.now)
                return false
            }
            return take(report, row, effects, at: place, in: turn)
        } catch {
            // The instance can't be read: its effect stays, and is tried again when it can.
            return false
        }
    }

    private mutating func take(
        _ report: EffectReport, _ row: StoredEffect, _ effects: InstanceEffects,
        at place: InstanceTable.Place, in turn: Turn
    ) -> Bool {
        switch report.outcome {
        case .emitted(let value, let number):
            return emit(value, number, row, effects, at: place, in: turn)
        case .completed(let value):
            complete(row, effects, at: place, result: value, in: turn)
        case .failed(let reason, let isPermanent):
            fail(
                row, effects, at: place, reason: reason, isPermanent: isPermanent,
                pause: report.pause, in: turn)
        case .cancelled:
            // Nobody cancelled it here: the host is stopping, and it is tried again later.
            schedule.handlerQueues.noteBacklog(of: report.ref)
        }
        return true
    }

    private mutating func emit(
        _ value: JSONValue, _ number: Int, _ row: StoredEffect, _ effects: InstanceEffects,
        at place: InstanceTable.Place, in turn: Turn
    ) -> Bool {
        guard number == row.body.delivered + 1 else { return number <= row.body.delivered }
        guard holds.holding(instances.residents[place].stored.name) == nil else {
            // It is made again, from this result on, when its instance is let go.
            batch.effects.cancellations.append(row.ref)
            return false
        }
        let name = instances.residents[place].stored.name.machine
        guard let run = row.body.run, let definition = catalogue[name] else { return false }
        do throws(StepFailure) {
            let event = try Self.event(of: value, emittedBy: row, run, definition)
            var row = row
            row.body.delivered = number
            effects.put(row)
            batch.effects.note(
                EffectRecord(.emitted, row).with("number", .integer(Int64(number))).bytes)
            let failure = following(row) {
                $0.apply(event, of: row, at: place, in: turn)
            }
            guard let failure, failure.isOfMachine else { return true }
            batch.effects.cancellations.append(row.ref)
            let reason = "its result can't be applied: \(failure.summary)"
            fail(row, effects, at: place, reason: reason, in: turn)
            return false
        } catch {
            batch.effects.cancellations.append(row.ref)
            fail(row, effects, at: place, reason: error.reason, in: turn)
            return false
        }
    }

    private static func event(
        of value: JSONValue, emittedBy row: StoredEffect, _ run: HostedRun,
        _ definition: Definition
    ) throws(StepFailure) -> (any HostedEvent)? {
        if row.body.isFinal { return nil }
        guard row.closureToken != nil else {
            return try definition.machine.event(ofResult: value, key: run.key, then: run.then)
        }
        do throws(EventError) {
            return try definition.machine.decodeEvent(value)
        } catch {
            throw .evaluation("the closure's event can't be read: \(error.message)")
        }
    }

    private mutating func noteStale(
        _ report: EffectReport, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        guard report.isLast else { return }
        if case .cancelled = report.outcome { return }
        var note = JSONObject()
        note["type"] = .string(EffectRecord.Change.stale.rawValue)
        note["effect"] = .integer(report.ref.number)
        note["name"] = .string(report.handler)
        batch.effects.note(JSONValue.object(note).serialized())
        record(at: place, now)
    }

    // MARK: Handing out

    /// After a commit: hands out what handlers are to do, and to stop.
    mutating func releaseEffects(into ready: inout Ready, in turn: Turn) throws(StoreError) {
        // A commit of nothing says nothing about the disk.
        if !batch.writes.isEmpty { schedule.notBefore = nil }
        ready.cancellations = batch.effects.cancellations
        ready.answers = batch.effects.answers
        for ref in batch.effects.finished { schedule.handlerQueues.end(ref) }
        for (ref, row) in batch.effects.ready {
            if !holds.isEmpty, let queue = row.handlerQueue, isHeld(row) {
                schedule.handlerQueues.noteBacklog(queue)
                continue
            }
            guard let queue = row.handlerQueue,
                batch.writes.effect(ref)?.row?.handlerQueue == queue,
                let dispatch = dispatch(row),
                schedule.handlerQueues.admit(ref, queue: queue, attempt: dispatch.attempt)
            else { continue }
            ready.dispatches.append(dispatch)
        }
        let isDueStale = schedule.isDueStale
        schedule.keepLost(of: batch.effects)
        batch.effects.removeAll()
        closures.endBatch()
        try findSleepers(in: turn)
        try refill(into: &ready, in: turn)
        schedule.nextRefill = schedule.handlerQueues.wantsRefill ? turn.now : nil
        if isDueStale {
            schedule.nextDue = try nextDue(in: turn)
            // What can't be read stays due: the rest is looked for once a second then.
            if !schedule.unreadable.isEmpty, let due = schedule.nextDue {
                schedule.nextDue = max(due, turn.now.advanced(by: 1_000))
            }
            schedule.isDueStale = false
        }
    }

    /// Looks in the store for effects that wait for handlers with room.
    private mutating func refill(into ready: inout Ready, in turn: Turn) throws(StoreError) {
        if schedule.handlerQueues.needsListing {
            schedule.handlerQueues.list(try handlerQueueNames(in: turn))
        }
        for queue in schedule.handlerQueues.refillable {
            guard let places = schedule.handlerQueues.room(in: queue) else { continue }
            var room = places.room
            let after = places.after
            let limit = room + schedule.handlerQueues.underWay
            let found = try effects(inHandlerQueue: queue, after: after, limit: limit, in: turn)
            var last = after
            var isCutShort = false
            for ref in found where room > 0 {
                let behind = last
                last = ref
                guard schedule.handlerQueues.attempt(of: ref) == nil else { continue }
                guard let row = try readable(ref, in: turn), row.handlerQueue == queue,
                    let owner = InstanceName(row.body.owner), catalogue[owner.machine] != nil
                else { continue }
                if closures.hasLost(row) || holds.holding(owner) != nil {
                    guard schedule.hasRoomForLost else {
                        // It is found again after the next batches, with what is behind it.
                        (last, isCutShort) = (behind, true)
                        break
                    }
                    schedule.lose(row)
                    continue
                }
                guard let dispatch = dispatch(row) else { continue }
                schedule.handlerQueues.begin(ref, queue: queue, attempt: dispatch.attempt)
                ready.dispatches.append(dispatch)
                room -= 1
            }
            if isCutShort, last == after { continue }
            let isAll = room > 0 && found.count < limit && !isCutShort
            schedule.handlerQueues.searched(
                queue, through: isAll ? nil : last, fromStart: after == nil)
        }
        schedule.handlerQueues.noteCrowds()
    }

    /// The handler queues that the store holds effects for. A damaged one is left alone.
    func handlerQueueNames(in turn: Turn) throws(StoreError) -> [String] {
        do throws(StoreError) { return try turn.store.handlerQueues() } catch .corrupt {
            return try turn.store.soundHandlerQueues()
        }
    }

    /// Effects that wait for a handler. Damaged ones are left alone, and the others go on.
    mutating func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int, in turn: Turn
    ) throws(StoreError) -> [EffectRef] {
        do throws(StoreError) {
            return try turn.store.effects(inHandlerQueue: queue, after: after, limit: limit)
        } catch .corrupt {
            let found = try turn.store.soundEffects(
                inHandlerQueue: queue, after: after, limit: limit)
            schedule.unreadable.formUnion(found.damaged)
            return found.refs
        }
    }

    /// What is to be done for a row that waits for it; `nil` where the result would find no
    /// machine.
    private func dispatch(_ row: StoredEffect) -> EffectDispatch? {
        guard let owner = InstanceName(row.body.owner), catalogue[owner.machine] != nil,
            let run = row.body.run
        else { return nil }
        let key = "\(row.body.log ?? schedule.log)-\(row.ref.instance.value)-\(row.ref.number)"
        var dispatch = EffectDispatch(
            ref: row.ref, owner: owner, handler: "", argument: .null,
            attempt: row.body.failures + 1, delivered: row.body.delivered, timeout: run.timeout,
            key: key)
        switch run.work {
        case .perform(let handler, let argument):
            dispatch.handler = handler
            dispatch.argument = argument
        case .closure(let token):
            guard let closure = closures[row.ref.instance, token] else { return nil }
            dispatch.handler = Self.closureQueue
            dispatch.closure = closure
        case .after, .send, .start, .ask, .compensate: return nil
        }
        return dispatch
    }

    private func isHeld(_ row: StoredEffect) -> Bool {
        InstanceName(row.body.owner).flatMap { holds.holding($0) } != nil
    }

    mutating func readable(_ ref: EffectRef, in turn: Turn) throws(StoreError) -> StoredEffect? {
        do throws(StoreError) {
            return try turn.store.effect(ref)
        } catch .corrupt {
            // Left alone; whoever asks for its instance is told.
            schedule.unreadable.insert(ref)
            return nil
        }
    }

    /// Keeps the reports of a lost batch until there may be room on the disk.
    mutating func deferReports(at now: Timestamp) {
        schedule.deferred = batch.effects.reports + schedule.deferred
        schedule.notBefore = now.advanced(by: Limits.fullDiskPauseMilliseconds)
        schedule.handlerQueues.noteBacklog(Self.closureQueue)
        schedule.keepLost(of: batch.effects)
        schedule.isDueStale = true
    }
}

extension EffectReport {
    /// Whether nothing else comes of the try.
    var isLast: Bool {
        if case .emitted = outcome { false } else { true }
    }
}
