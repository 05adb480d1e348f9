import OrderedJSON
import Transducers

extension Engine {
    /// `send`: dedup, then `expect`, then existence, then the event itself, in the order of
    /// protocol.md, "send".
    mutating func send(_ send: Send, in turn: Turn) -> Reply {
        let outer = witness(send.to, event: send.eventText)
        defer { unwitness(outer) }
        do throws(Failure) {
            if case .unknownMachine = send.event { throw Failure.noSuchMachine(send.to.machine) }
            let found = try find(send.to, in: turn)
            if let known = try knownDedup(send.dedup, on: found, in: turn) {
                return .sent(try repeated(send, known))
            }
            try check(send.expect, on: found)
            if case .withheld = send.event {
                try requireFree(send.to)
                throw Failure.busy("\(send.to) was let go at this moment")
            }
            switch found {
            case .resident(let place):
                if send.create == .must {
                    throw Failure.alreadyExists(
                        send.to, version: instances.residents[place].stored.version)
                }
                return .sent(try apply(send, to: place, in: turn))
            case .absent:
                if send.create == .never { throw Failure.noSuchInstance(send.to) }
                return .sent(try applyToNew(send, in: turn))
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: Checks

    /// The reply of the first time, if the key came with the same event then: the same to the
    /// machine of today, or as it was written.
    private mutating func repeated(
        _ send: Send, _ entry: DedupEntry
    ) throws(Failure) -> Reply.Sent {
        guard try isSame(send, entry) else {
            // As it is written, it is another event; what it means may not be looked at.
            if case .withheld = send.event { try requireFree(send.to) }
            throw .dedupMismatch(version: entry.version)
        }
        return Reply.Sent(
            version: entry.version, cursor: Cursor(sequence: entry.sequence),
            changed: entry.changed, isDone: entry.done, isDuplicate: true)
    }

    private func isSame(_ send: Send, _ entry: DedupEntry) throws(Failure) -> Bool {
        switch send.event {
        // One that became internal since is answered as it was then.
        case .decoded(let event), .internalOnly(let event, _):
            if try EventHash(event).matches(entry) { return true }
        case .undecodable, .unknownMachine, .withheld: break
        }
        guard let written = entry.written else { return false }
        return EventHash(written: send.eventText) == written
    }

    /// The answer to the first request with this key. The answer under way then repeats it, and
    /// depends on nothing else.
    mutating func knownDedup(
        _ key: [UInt8]?, on found: Lookup, in turn: Turn
    ) throws(Failure) -> DedupEntry? {
        guard let key, case .resident(let place) = found,
            instances.residents[place].stored.hasDedup
        else { return nil }
        let number = instances.residents[place].stored.number
        if let entry = batch.dedups[Batch.DedupKey(number: number, key: key)] {
            batch.relyOnly(on: true)
            return entry
        }
        let entry = try reading { () throws(StoreError) in try turn.store.dedup(number, key: key) }
        if entry != nil { batch.relyOnly(on: false) }
        return entry
    }

    private func check(_ expect: Send.Expectation?, on found: Lookup) throws(Failure) {
        guard let expect else { return }
        let actual: Int64? =
            switch found {
            case .resident(let place): instances.residents[place].stored.version
            case .absent: nil
            }
        switch expect {
        case .version(let version) where version != actual:
            throw .versionConflict(expected: String(version), actual: actual)
        case .absent where actual != nil:
            throw .versionConflict(expected: "absent", actual: actual)
        case .exists where actual == nil:
            throw .versionConflict(expected: "exists", actual: nil)
        default: return
        }
    }

    // MARK: The event

    private mutating func applyToNew(_ send: Send, in turn: Turn) throws(Failure) -> Reply.Sent {
        guard let definition = catalogue[send.to.machine] else {
            throw .noSuchMachine(send.to.machine)
        }
        try requireFree(send.to)
        // The event is tried first: one that is refused creates nothing.
        let fresh: any HostedInstance
        do {
            fresh = try definition.machine.makeInstance()
        } catch {
            throw Failure(error, state: [], event: send.eventText)
        }
        if fresh.isTerminal { throw .instanceDone(send.to, version: 0) }
        let event = try decoded(send.event)
        var trial = fresh
        let hash = try send.dedup.map { _ throws(Failure) in try EventHash(event) }
        try step(&trial, event, initial: fresh, text: send.eventText)
        try checkStep(send.eventText, beside: 0)
        var outcome = StepBuffer()
        swap(&outcome, &scratch)
        let (place, _) = try makeInstance(
            send.to, machine: fresh, definition: definition, at: turn.now)
        instances.residents[place].machine = trial
        swap(&outcome, &scratch)
        return finish(send, on: place, hash, in: turn)
    }

    mutating func apply(
        _ send: Send, to place: InstanceTable.Place, in turn: Turn
    ) throws(Failure) -> Reply.Sent {
        if instances.residents[place].stored.isDone {
            throw .instanceDone(
                send.to, version: instances.residents[place].stored.version)
        }
        try requireFree(send.to)
        let event = try decoded(send.event)
        try restoreMachine(at: place)
        try readEffects(at: place, in: turn)
        let hash = try send.dedup.map { _ throws(Failure) in try EventHash(event) }
        scratch.removeAll()
        do {
            try instances.residents[place].machine?.apply(
                event, limits: options.step, into: &scratch)
        } catch {
            throw Failure(
                error, state: instances.residents[place].stored.state, event: send.eventText)
        }
        do throws(Failure) {
            try checkStep(
                send.eventText, beside: instances.residents[place].stored.effectCount,
                bytes: instances.residents[place].effects?.bytes ?? 0)
        } catch {
            instances.residents[place].forgetMachine()
            throw error
        }
        return finish(send, on: place, hash, in: turn)
    }

    private mutating func step(
        _ trial: inout any HostedInstance, _ event: any HostedEvent,
        initial: any HostedInstance, text: [UInt8]
    ) throws(Failure) {
        scratch.removeAll()
        do {
            try trial.apply(event, limits: options.step, into: &scratch)
        } catch {
            var described = StepBuffer()
            do {
                try initial.describeInitial(into: &described)
            } catch let unwritable {
                throw Failure(unwritable, state: [], event: text)
            }
            throw Failure(error, state: described.state.bytes, event: text)
        }
    }

    func decoded(_ event: EventInput) throws(Failure) -> any HostedEvent {
        switch event {
        case .decoded(let event): return event
        case .undecodable(let error):
            throw .badEvent(path: error.path, message: error.message, expected: error.expected)
        case .internalOnly(_, let name): throw .internalEvent(name)
        case .withheld:
            preconditionFailure("what is set aside is refused before its event is looked at")
        case .unknownMachine:
            preconditionFailure("an unknown machine is refused before its event is looked at")
        }
    }

    /// Makes the step in `scratch` part of the batch. From here on nothing can be refused.
    private mutating func finish(
        _ send: Send, on place: InstanceTable.Place, _ hash: EventHash?, in turn: Turn
    ) -> Reply.Sent {
        var record = JournalRecord(sequence: head + 1, kind: .step)
        record.event = send.eventText
        record.dedup = send.dedup
        record.isDone = scratch.isTerminal
        let result = scratch.isTerminal ? scratch.outputs.last?.data.compact : nil
        instances.residents[place].stored.take(
            &scratch.state.bytes, result: result, into: &record)
        if hash != nil { instances.residents[place].stored.hasDedup = true }
        if !scratch.effects.isEmpty, let key = send.dedup {
            batch.cause.request = String(validating: key, as: UTF8.self)
        }
        carryOutStep(at: place, isDone: record.isDone, turn.now)
        record.effects = batch.effects.takeNotes()
        // Lent to the record and taken back, so that the buffer keeps its memory.
        swap(&record.outputs, &scratch.outputs)
        let before = needsStateBefore(at: place) ? scratch.state.bytes : nil
        append(&record, to: place, before: before, at: turn.now)
        swap(&record.outputs, &scratch.outputs)
        let headAfterStep = head
        if record.isDone { tellParent(of: place, stopReason: nil, in: turn) }
        var sent = Reply.Sent(
            version: record.version, cursor: Cursor(sequence: headAfterStep),
            changed: record.state != nil, isDone: record.isDone, isDuplicate: false)
        if let hash, let key = send.dedup {
            remember(
                hash, written: EventHash(written: send.eventText), key: key, sent: sent,
                number: record.number)
        }
        if send.reply != .minimal {
            sent.detail = Reply.Sent.Detail(
                state: instances.residents[place].stored.state,
                outputs: send.reply == .full ? scratch.outputs : nil,
                effects: send.reply == .full ? record.effects : nil)
        }
        return sent
    }

    mutating func remember(
        _ hash: EventHash, written: EventHash? = nil, key: [UInt8], sent: Reply.Sent,
        number: InstanceNumber
    ) {
        var entry = DedupEntry(
            hashHigh: hash.high, hashLow: hash.low, version: sent.version,
            sequence: sent.cursor.sequence, changed: sent.changed, done: sent.isDone)
        entry.written = written
        batch.writes.dedups.append(
            WriteSet.DedupWrite(number: number, key: key, entry: entry))
        batch.dedups[Batch.DedupKey(number: number, key: key)] = entry
    }
}

extension StoredInstance {
    /// Takes over the state that an event led to; `after` holds the state before it from then
    /// on. The record gets the version, and the new state if it is another one.
    ///
    /// - Parameters:
    ///   - after: The state after the event as JSON.
    ///   - result: The result of an event that is the last one.
    ///   - record: The event's record, whose `isDone` says whether it is.
    mutating func take(
        _ after: inout [UInt8], result: [UInt8]?, into record: inout JournalRecord
    ) {
        version += 1
        record.version = version
        if !after.hasSameBytes(as: state) {
            // The memory of states goes round among instances; a small state is not to sit in
            // what a large one has left.
            if after.capacity > 2 * after.count + 64 { after = after.compact }
            swap(&state, &after)
            record.state = state
        }
        if record.isDone {
            isDone = true
            self.result = result
        }
    }

    /// Links a new step of the instance to the ones before it.
    mutating func link(_ record: inout JournalRecord, at now: Timestamp) {
        record.number = number
        record.name = name
        record.version = version
        record.at = now
        record.previous = newest
        if record.kind == .effect {
            record.beforeEffects = beforeEffects
            // Of an instance that is as it was before this was kept, nothing further is known.
            if beforeEffects == 0 { beforeEffects = newest }
        } else {
            beforeEffects = 0
        }
        updated = now
        newest = record.sequence
        if record.kind == .created {
            origin = record.sequence
        } else if record.kind == .step {
            record.skip = Skips.link(
                version: version, sequence: record.sequence, skips: &skips, created: origin)
        }
        if record.state != nil || record.base != nil { stateAt = record.sequence }
        record.stateAt = stateAt
    }
}
