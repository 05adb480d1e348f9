import OrderedJSON
import Transducers

// `suspend` and `resume`: an instance, or a whole machine, takes no events for a while. A hold is
// one row, and its start reads no other rows. Effects are put to sleep one by one when they are
// due, and woken in turns after the hold (docs/decisions/0040-holds.md).

extension Engine {
    /// Refuses a step of an instance that is held, or whose machine is.
    mutating func requireFree(_ name: InstanceName) throws(Failure) {
        guard let (subject, hold) = holds.holding(name) else { return }
        batch.rely(on: holds.isPending(subject))
        throw .held(subject, hold.kind)
    }

    // MARK: Start and end

    /// Holds a subject and appends a record.
    mutating func begin(_ hold: Hold, on subject: HoldSubject, in turn: Turn) {
        write(hold, on: subject)
        var record = newRecord(hold.kind == .suspended ? .suspended : .setAside)
        record.reason = hold.reason
        _ = append(&record, to: subject, in: turn)
    }

    /// Releases a subject and appends a record.
    ///
    /// - Returns: The version of the instance, if there is one.
    mutating func release(_ subject: HoldSubject, in turn: Turn) -> Int64? {
        write(nil, on: subject)
        // Some effects may wait for their handlers and weren't put to sleep yet.
        schedule.handlerQueues.listBacklogs()
        var record = newRecord(.resumed)
        return append(&record, to: subject, in: turn)
    }

    mutating func removeHold(on name: InstanceName) {
        guard holds[.instance(name)] != nil else { return }
        write(nil, on: .instance(name))
    }

    private mutating func write(_ hold: Hold?, on subject: HoldSubject) {
        holds.set(hold, on: subject)
        batch.writes.holds[subject] = .some(hold)
    }

    /// Appends the record of a hold: to the instance if there is one, otherwise to none.
    private mutating func append(
        _ record: inout JournalRecord, to subject: HoldSubject, in turn: Turn
    ) -> Int64? {
        if case .instance(let name) = subject, let place = resident(name, in: turn) {
            let stored = instances.residents[place].stored
            record.isDone = stored.isDone
            append(
                &record, to: place, before: needsStateBefore(at: place) ? stored.state : nil,
                at: turn.now)
            return stored.version
        }
        record.at = turn.now
        switch subject {
        case .instance(let name): record.name = name
        case .machine(let machine): record.name = InstanceName(allOf: machine)
        }
        write(&record)
        publishLater(&record, before: nil)
        return nil
    }

    private mutating func resident(_ name: InstanceName, in turn: Turn) -> InstanceTable.Place? {
        // A damaged instance is held by its name; its record belongs to no instance then.
        guard case .resident(let place)? = try? find(name, in: turn) else { return nil }
        return place
    }

    // MARK: Effects

    /// Puts a due effect to sleep while a subject is held.
    mutating func sleep(_ row: StoredEffect, for subject: HoldSubject, in live: LiveEffects) {
        live.effects.put(row.asleep(for: subject))
        markDirty(live.place)
    }

    /// Wakes an effect: it is due, or waits for its handler, as before.
    mutating func wake(_ row: StoredEffect, in live: LiveEffects) {
        // Another subject may be held by now.
        if let text = row.handlerQueue?.asleepFor, let subject = HoldSubject(text: text),
            holds[subject] != nil
        {
            return
        }
        let awake = row.awake
        live.effects.put(awake)
        markDirty(live.place)
        if let queue = awake.handlerQueue { schedule.handlerQueues.addBacklog(queue) }
        enqueueIfDue(awake, at: live.now)
    }

    /// After a commit: finds sleeping effects of a released subject, a bounded number. The next
    /// batch wakes them.
    ///
    /// - Throws: when the store can't be read at all.
    mutating func findSleepers(in turn: Turn) throws(StoreError) {
        if !holds.isWakingKnown { holds.listSleepers(try handlerQueueNames(in: turn)) }
        guard let subject = holds.waking.min(), schedule.lost.isEmpty else { return }
        let limit = Limits.effectsPerBatchMax + schedule.unreadable.count
        let found = try effects(
            inHandlerQueue: .sleepingQueue(text: subject), after: nil, limit: limit, in: turn)
        for ref in found where !schedule.unreadable.contains(ref) {
            guard let row = try readable(ref, in: turn) else { continue }
            schedule.lose(row)
        }
        if schedule.lost.isEmpty { holds.endWaking(subject) }
    }
}

extension Engine {
    /// Sets aside an instance, or a machine, whose steps have ended the process. Part of the next
    /// commit; for the start of a server, before all else. A subject that an operator has suspended
    /// stays suspended, and its code doesn't run either.
    public mutating func setAside(
        _ subject: HoldSubject, reason: String, definitionVersion: String, at now: Timestamp,
        store: any Store
    ) {
        let former = holds[subject]
        var hold = Hold(
            settingAsideFor: reason, definitionVersion, since: former?.since ?? now)
        hold.kind = former?.kind ?? .setAside
        begin(hold, on: subject, in: Turn(now: now, store: store))
    }

    public mutating func setAsideForNow(
        _ subject: HoldSubject, reason: String, definitionVersion: String, at now: Timestamp
    ) {
        holds.set(Hold(settingAsideFor: reason, definitionVersion, since: now), on: subject)
        holds.endBatch()
    }

    /// Releases subjects that were set aside, and whose machines have another version now. Part of
    /// the next commit.
    ///
    /// - Returns: The released subjects.
    public mutating func releaseOutdated(
        at now: Timestamp, store: any Store
    ) -> [HoldSubject] {
        let turn = Turn(now: now, store: store)
        let outdated = holds.trapped.filter { subject, hold in
            hold.kind == .setAside
                && catalogue[subject.machine].map { $0.version != hold.definitionVersion } ?? false
        }
        for (subject, _) in outdated { _ = release(subject, in: turn) }
        return outdated.map(\.subject)
    }

    /// The number of changes of holds: ``setAside`` differs only when this does.
    public var holdChanges: Int { holds.changes }

    /// The subjects for which no code of a machine may run: they were set aside, and an operator
    /// may have suspended them since. Includes changes of the batch.
    public var trapped: [HoldSubject] { holds.trapped.map(\.subject) }

    /// The subjects that are set aside. Includes changes of the batch.
    public var setAside: [HoldSubject] {
        holds.trapped.filter { $0.hold.kind == .setAside }.map(\.subject)
    }
}

extension Hold {
    fileprivate init(
        settingAsideFor reason: String, _ definitionVersion: String, since: Timestamp
    ) {
        self.init(
            kind: .setAside, since: since,
            reason: reason.prefixOfBytes(Limits.effectReasonBytesMax),
            definitionVersion: definitionVersion)
    }
}

extension StoredEffect {
    /// The effect asleep while a subject is held.
    func asleep(for subject: HoldSubject) -> StoredEffect {
        var row = self
        if row.body.asleep == nil {
            row.body.asleep = Body.Asleep(due: due?.milliseconds, lane: handlerQueue)
        }
        row.due = nil
        row.handlerQueue = .sleepingQueue(subject)
        return row
    }

    /// The effect awake: due, or waiting for its handler, as before.
    public var awake: StoredEffect {
        guard let asleep = body.asleep else { return self }
        var row = self
        row.due = asleep.due.map { Timestamp(milliseconds: $0) }
        row.handlerQueue = asleep.lane
        row.body.asleep = nil
        return row
    }
}
