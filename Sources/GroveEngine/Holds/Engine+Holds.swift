import OrderedJSON
import Transducers

// `suspend` and `resume`: an instance, or a whole machine, takes no events for a while. A hold is
// one row, whatever hangs on it: nothing else is looked at when it begins. Effects are put to
// sleep one by one when their time comes, and woken by and by when it ends
// (docs/decisions/0040-holds.md).

extension Engine {
    /// Refuses what would make an instance take a step while it, or its machine, is held.
    mutating func requireFree(_ name: InstanceName) throws(Failure) {
        guard let (subject, hold) = holds.holding(name) else { return }
        batch.rely(on: holds.isPending(subject))
        throw .held(subject, hold.kind)
    }

    // MARK: Requests

    // MARK: Beginning and end

    /// Holds a subject, with the record that says so.
    mutating func begin(_ hold: Hold, on subject: HoldSubject, in turn: Turn) {
        write(hold, on: subject)
        var record = JournalRecord(
            sequence: head + 1, kind: hold.kind == .suspended ? .suspended : .setAside)
        record.reason = hold.reason
        _ = append(&record, to: subject, in: turn)
    }

    /// Lets a subject go, with the record that says so.
    ///
    /// - Returns: The version of an instance, if there is one.
    mutating func letGo(_ subject: HoldSubject, in turn: Turn) -> Int64? {
        write(nil, on: subject)
        // Among them may be some that waited for their handlers and weren't put to sleep yet.
        schedule.handlerQueues.listBacklogs()
        var record = JournalRecord(sequence: head + 1, kind: .resumed)
        return append(&record, to: subject, in: turn)
    }

    /// Forgets the hold on an instance that has ended or is gone.
    mutating func forgetHold(on name: InstanceName) {
        guard holds[.instance(name)] != nil else { return }
        write(nil, on: .instance(name))
    }

    private mutating func write(_ hold: Hold?, on subject: HoldSubject) {
        holds.set(hold, on: subject)
        batch.writes.holds[subject] = .some(hold)
    }

    /// Appends the record of a hold: a step of the instance where there is one, else one that
    /// belongs to none.
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
        write(record)
        publishLater(PublishedStep(record: record, before: nil))
        return nil
    }

    private mutating func resident(_ name: InstanceName, in turn: Turn) -> InstanceTable.Place? {
        // One that can't be read is held by its name; its record belongs to nobody then.
        guard case .resident(let place)? = try? find(name, in: turn) else { return nil }
        return place
    }

    // MARK: Effects

    /// Puts an effect to sleep whose time has come while a subject is held.
    mutating func sleep(_ row: StoredEffect, for subject: HoldSubject, in live: LiveEffects) {
        live.effects.put(row.asleep(for: subject))
        markDirty(live.place)
    }

    /// Wakes an effect that slept: it is due, or waits for its handler, as before.
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

    /// After a commit: finds a bounded number of sleepers whose subject was let go. They are
    /// roused with the next batch.
    ///
    /// - Throws: when the store can't be read at all.
    mutating func findSleepers(in turn: Turn) throws(StoreError) {
        if !holds.isWakingKnown { holds.findSleepers(try handlerQueueNames(in: turn)) }
        guard let subject = holds.waking.min(), schedule.lost.isEmpty else { return }
        let limit = Limits.effectsPerBatchMax + schedule.unreadable.count
        let found = try effects(
            inHandlerQueue: .sleepingQueue(text: subject), after: nil, limit: limit, in: turn)
        for ref in found where !schedule.unreadable.contains(ref) {
            guard let row = try readable(ref, in: turn) else { continue }
            schedule.lose(row)
        }
        if schedule.lost.isEmpty { holds.wokeAll(of: subject) }
    }
}

extension StoredEffect {
    /// The same, asleep while a subject is held.
    func asleep(for subject: HoldSubject) -> StoredEffect {
        var row = self
        if row.body.asleep == nil {
            row.body.asleep = Body.Asleep(due: due?.milliseconds, lane: handlerQueue)
        }
        row.due = nil
        row.handlerQueue = .sleepingQueue(subject)
        return row
    }

    /// The same, awake: due, or waiting for its handler, as it was.
    public var awake: StoredEffect {
        guard let asleep = body.asleep else { return self }
        var row = self
        row.due = asleep.due.map { Timestamp(milliseconds: $0) }
        row.handlerQueue = asleep.lane
        row.body.asleep = nil
        return row
    }
}
