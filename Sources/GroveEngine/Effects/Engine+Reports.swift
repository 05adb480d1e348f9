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
        for report in reports {
            if let failure { throw failure }
            let wasApplied = take(report, now, store: store)
            if let answer = report.answer { effectWork.answers.append((answer, wasApplied)) }
        }
        if let failure { throw failure }
    }

    private mutating func take(
        _ report: EffectReport, _ now: Timestamp, store: any Store
    ) -> Bool {
        guard lanes.attempt(of: report.ref) == report.attempt else { return false }
        if report.isLast { effectWork.finished.append((report.ref, report.handler)) }
        do throws(Failure) {
            guard case .resident(let place) = try find(report.owner, store: store),
                instances.residents[place].stored.number == report.ref.number
            else { return false }
            try readEffects(at: place, store: store)
            guard let effects = instances.residents[place].effects,
                let row = effects[report.ref.run], row.body.phase == .active,
                row.body.failures + 1 == report.attempt
            else {
                noteStale(report, at: place, now)
                return false
            }
            return take(report, row, effects, at: place, now, store: store)
        } catch {
            // The instance can't be read: its effect stays, and is tried again when it can.
            return false
        }
    }

    private mutating func take(
        _ report: EffectReport, _ row: StoredEffect, _ effects: InstanceEffects,
        at place: InstanceTable.Place, _ now: Timestamp, store: any Store
    ) -> Bool {
        switch report.outcome {
        case .emitted(let value, let number):
            return emit(value, number, row, effects, at: place, now, store: store)
        case .completed(let value):
            complete(row, effects, at: place, result: value, now, store: store)
        case .failed(let reason, let isPermanent):
            fail(
                row, effects, at: place, reason: reason, isPermanent: isPermanent, now,
                store: store)
        case .cancelled:
            // Nobody cancelled it here: the host is stopping, and it is tried again later.
            lanes.noteBacklog(report.handler)
        }
        return true
    }

    private mutating func emit(
        _ value: JSONValue, _ number: Int, _ row: StoredEffect, _ effects: InstanceEffects,
        at place: InstanceTable.Place, _ now: Timestamp, store: any Store
    ) -> Bool {
        guard number == row.body.delivered + 1 else { return number <= row.body.delivered }
        let name = instances.residents[place].stored.name.machine
        guard let run = row.body.run, let definition = catalogue[name] else { return false }
        do throws(StepFailure) {
            let event =
                row.body.isFinal
                ? nil
                : try definition.machine.event(ofResult: value, key: run.key, then: run.then)
            var row = row
            row.body.delivered = number
            effects.put(row)
            effectWork.note(
                EffectNote(.emitted, row).with("number", .integer(Int64(number))).bytes)
            following(row) { $0.apply(event, at: place, now, store: store) }
            return true
        } catch {
            effectWork.cancellations.append(row.ref)
            fail(row, effects, at: place, reason: error.reason, now, store: store)
            return false
        }
    }

    private mutating func noteStale(
        _ report: EffectReport, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        guard report.isLast else { return }
        if case .cancelled = report.outcome { return }
        var note = JSONObject()
        note["type"] = .string(EffectNote.Change.stale.rawValue)
        note["effect"] = .integer(report.ref.run)
        note["name"] = .string(report.handler)
        effectWork.note(JSONValue.object(note).serialized())
        record(at: place, now)
    }

    // MARK: Handing out

    /// After a commit: hands out what handlers are to do, and to stop.
    mutating func releaseEffects(
        into actions: inout Actions, at now: Timestamp, store: any Store
    ) throws(StoreError) {
        actions.cancellations = effectWork.cancellations
        actions.answers = effectWork.answers
        for (ref, _) in effectWork.finished { lanes.end(ref) }
        for (ref, row) in effectWork.ready {
            guard let lane = row.lane, batch.writes.effect(ref)?.row?.lane == lane,
                let issue = issue(row, store: store),
                lanes.admit(ref, lane: lane, attempt: issue.attempt)
            else { continue }
            actions.issues.append(issue)
        }
        let isDueStale = effectWork.isDueStale
        effectWork.endBatch()
        try refill(into: &actions, store: store)
        effectWork.nextRefill = lanes.wantsRefill ? now : nil
        if isDueStale {
            effectWork.nextDue = try store.nextDue()
            // What can't be read stays due: the rest is looked for once a second then.
            if !effectWork.unreadable.isEmpty, let due = effectWork.nextDue {
                effectWork.nextDue = max(due, now.advanced(by: 1_000))
            }
            effectWork.isDueStale = false
        }
    }

    /// Looks in the store for effects that wait for handlers with room.
    private mutating func refill(
        into actions: inout Actions, store: any Store
    ) throws(StoreError) {
        for (lane, room, after) in lanes.refillable {
            var room = room
            let limit = room + lanes.underWay
            let found = try store.effects(inLane: lane, after: after, limit: limit)
            var last = after
            for ref in found where room > 0 {
                last = ref
                guard lanes.attempt(of: ref) == nil else { continue }
                guard let row = try readable(ref, store: store), row.lane == lane,
                    let issue = issue(row, store: store)
                else { continue }
                lanes.begin(ref, lane: lane, attempt: issue.attempt)
                actions.issues.append(issue)
                room -= 1
            }
            let isAll = room > 0 && found.count < limit
            lanes.searched(lane, through: isAll ? nil : last, fromStart: after == nil)
        }
    }

    /// What a handler is to do; `nil` where its result would find no machine.
    private func issue(_ row: StoredEffect, store: any Store) -> IssuedEffect? {
        guard let issue = IssuedEffect(row, log: store.logID),
            catalogue[issue.owner.machine] != nil
        else { return nil }
        return issue
    }

    private mutating func readable(
        _ ref: EffectRef, store: any Store
    ) throws(StoreError) -> StoredEffect? {
        do throws(StoreError) {
            return try store.effect(ref)
        } catch .corrupt {
            // Left alone; whoever asks for its instance is told.
            effectWork.unreadable.insert(ref)
            return nil
        }
    }

    /// The disk is full: what handlers have reported in the batch is lost, so they are asked
    /// again. What was due still is. Either happens by itself, as soon as there may be room.
    mutating func giveUpEffects(into actions: inout Actions, at now: Timestamp) {
        for (ref, lane) in effectWork.finished {
            lanes.end(ref)
            lanes.noteBacklog(lane)
        }
        actions.answers = effectWork.answers.map { ($0.answer, false) }
        effectWork.endBatch()
        _ = effectWork.takeNotes()
        effectWork.isDueStale = true
        let again = now.advanced(by: Limits.fullDiskPauseMilliseconds)
        effectWork.nextDue = effectWork.nextDue.map { max($0, again) }
        effectWork.nextRefill = lanes.wantsRefill ? again : nil
    }
}

extension EffectReport {
    /// Whether nothing else comes of the try.
    var isLast: Bool {
        if case .emitted = outcome { false } else { true }
    }
}

extension IssuedEffect {
    /// What a handler is to do for a row that waits for it.
    init?(_ row: StoredEffect, log: LogID) {
        guard let owner = InstanceName(row.body.owner), let run = row.body.run,
            case .perform(let handler, let argument) = run.work
        else { return nil }
        let digits = String(log.high, radix: 16)
        self.init(
            ref: row.ref, owner: owner, handler: handler, argument: argument,
            attempt: row.body.failures + 1, delivered: row.body.delivered, timeout: run.timeout,
            key: "\(digits)-\(row.ref.number.value)-\(row.ref.run)")
    }
}
