import OrderedJSON
import Transducers

extension Engine {
    /// An instance as requests see it: the batch's candidate state if there is one.
    enum Lookup {
        case resident(InstanceTable.Place)
        case absent
    }

    /// Finds an instance, and reads it from the store if it isn't in memory. If the batch has
    /// changed or deleted it, the answer needs the commit.
    mutating func find(_ name: InstanceName, in turn: Turn) throws(Failure) -> Lookup {
        if let place = instances.place(of: name) {
            instances.residents[place].wasUsed = true
            batch.rely(on: instances.residents[place].isDirty)
            return .resident(place)
        }
        if batch.deleted.contains(name) {
            batch.rely(on: true)
            return .absent
        }
        guard
            let stored = try reading({ () throws(StoreError) in
                try turn.store.instance(named: name)
            })
        else { return .absent }
        return .resident(instances.insert(Resident(stored: stored)))
    }

    /// Reads the store for one request: corrupt data fails this request; if nothing can be read at
    /// all, the process must end.
    mutating func reading<Value>(
        _ read: () throws(StoreError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try read()
        } catch .corrupt(let place) {
            throw .storageCorrupt(place)
        } catch {
            storage.failure = error
            throw .storageCorrupt("the data file can't be read")
        }
    }

    mutating func restoreMachine(at place: InstanceTable.Place) throws(Failure) {
        if instances.residents[place].isRestored { return }
        let stored = instances.residents[place].stored
        guard let definition = catalogue[stored.name.machine] else {
            throw .noSuchMachine(stored.name.machine)
        }
        do {
            instances.residents[place].machine = try definition.machine.restoreInstance(
                state: stored.state, from: stored.definitionVersion)
            // Becomes the instance's with its next step: an event that is refused changes nothing.
            instances.residents[place].hasNewDefinition =
                stored.definitionVersion != definition.version
        } catch {
            throw Failure(error, state: stored.state, event: [])
        }
    }

    mutating func makeInstance(
        _ name: InstanceName, machine: any HostedInstance, definition: Definition,
        hasDedup: Bool = false, at now: Timestamp
    ) throws(Failure) -> (place: InstanceTable.Place, outputs: [JournalRecord.Output]) {
        scratch.removeAll()
        do {
            try machine.describeInitial(into: &scratch)
        } catch {
            throw Failure(error, state: [], event: [])
        }
        batch.lastNumber.value += 1
        var stored = StoredInstance(number: batch.lastNumber, name: name)
        stored.definitionVersion = definition.version
        stored.created = now
        stored.state = scratch.state.bytes.compact
        stored.isDone = machine.isTerminal
        stored.hasDedup = hasDedup
        if stored.isDone { stored.result = scratch.outputs.last?.data.compact }
        var record = JournalRecord(sequence: head + 1, kind: .created)
        record.state = stored.state
        record.outputs = scratch.outputs
        record.isDone = stored.isDone
        record.definitionVersion = definition.version
        batch.deleted.remove(name)
        var resident = Resident(stored: stored, machine: machine)
        resident.isNew = true
        let place = instances.insert(resident)
        append(&record, to: place, before: nil, at: now)
        return (place, record.outputs)
    }

    /// Appends a step of an instance to the batch and updates the links of its snapshot. The caller
    /// sets kind, version, event, outputs and state. `before` is the state before the step, if
    /// ``needsStateBefore(at:)`` asks for it.
    mutating func append(
        _ record: inout JournalRecord, to place: InstanceTable.Place,
        before: [UInt8]?, at now: Timestamp
    ) {
        if let before, record.kind != .created, isStateGone(at: place) {
            record.base = JournalRecord.Base(
                state: before, at: instances.residents[place].stored.updated)
        }
        if record.kind == .step, instances.residents[place].hasNewDefinition {
            record.definitionVersion = setDefinition(at: place)
        }
        journalEffects(into: &record, at: place, now)
        instances.residents[place].stored.link(&record, at: now)
        write(record)
        publishLater(record, before: before)
        markDirty(place, followsFromJournal: record.followsFromJournal)
        notifyWaiters(of: place)
    }

    /// Sets the version of the loaded definition for a step.
    ///
    /// - Returns: The version, if it is new for the instance.
    private mutating func setDefinition(at place: InstanceTable.Place) -> String? {
        instances.residents[place].hasNewDefinition = false
        let machine = instances.residents[place].stored.name.machine
        guard let definition = catalogue[machine] else { return nil }
        instances.residents[place].stored.definitionVersion = definition.version
        return definition.version
    }

    /// Whether the state before a step is needed: by a subscription, or by the journal, which no
    /// longer holds it.
    func needsStateBefore(at place: InstanceTable.Place) -> Bool {
        !subscriptions.isEmpty || isStateGone(at: place)
    }

    /// Whether the journal no longer holds the instance's present state.
    private func isStateGone(at place: InstanceTable.Place) -> Bool {
        instances.residents[place].stored.stateAt
            < storage.floors.first(of: instances.residents[place].stored.name)
    }

    /// Adds the instance's snapshot to the batch's writes.
    ///
    /// - Parameter followsFromJournal: Whether the journal's newest step holds all that has changed
    ///   in the snapshot.
    mutating func markDirty(_ place: InstanceTable.Place, followsFromJournal: Bool = false) {
        let hasNewEffects = writeEffects(at: place)
        let followsFromJournal = followsFromJournal && !hasNewEffects
        // The snapshot is written while it is at hand; one that changes again in this batch is
        // written again at its end.
        if instances.residents[place].isDirty {
            instances.residents[place].isWriteStale = true
            if !followsFromJournal {
                let index = instances.residents[place].writeIndex
                batch.writes.instances[index].followsFromJournal = false
            }
        } else {
            instances.residents[place].isDirty = true
            instances.residents[place].isWriteStale = false
            instances.residents[place].writeIndex = batch.writes.instances.count
            batch.writes.append(
                instances.residents[place].stored, isNew: instances.residents[place].isNew,
                followsFromJournal: followsFromJournal)
            instances.residents[place].dirtyIndex = batch.dirty.count
            batch.dirty.append(place)
        }
    }

    mutating func write(_ record: borrowing JournalRecord) {
        precondition(record.sequence == head + 1, "the journal is dense")
        record.encode(into: &batch.writes.journal)
        batch.writes.journalEnds.append(batch.writes.journal.count)
        counters.steps += 1
    }
}

extension Failure {
    /// The refusal for a failed step.
    init(_ failure: StepFailure, state: [UInt8], event: [UInt8]) {
        switch failure {
        case .rejected(let rejection):
            self = .eventRejected(
                reason: rejection.reason, state: state, event: event,
                accepts: rejection.accepts)
        case .evaluation(let message): self = .evaluation(message)
        case .outputLimit(let message): self = .evaluationLimit(message)
        case .eventLimit(let max): self = .stepLimit(max)
        case .stateTooLarge(let bytes, let max):
            self = .stateTooLarge(bytes: bytes, max: max)
        }
    }
}
