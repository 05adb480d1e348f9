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
        let definition = try definition(of: stored)
        do {
            instances.residents[place].restore(
                try definition.machine.restoreInstance(
                    stored.identity, state: stored.state, from: stored.definitionVersion))
            // Becomes the instance's with its next step: an event that is refused changes nothing.
            instances.residents[place].hasNewDefinition =
                stored.definitionVersion != definition.version
        } catch {
            throw Failure(error, state: stored.state, event: [])
        }
    }

    /// The definition of an instance.
    ///
    /// - Throws: ``Failure/noSuchMachine(_:)`` if it isn't loaded.
    func definition(of stored: StoredInstance) throws(Failure) -> Definition {
        if let definition = catalogue.definition(of: stored) { return definition }
        guard catalogue[stored.name.machine] != nil else {
            throw .noSuchMachine(stored.name.machine)
        }
        throw .evaluation(
            "version \(stored.definitionVersion.prefixOfBytes(64)) of machine "
                + "\(stored.name.machine) isn't loaded")
    }

    /// The surroundings of a step of an instance.
    func context(of stored: StoredInstance, at now: Timestamp) -> StepContext {
        StepContext(limits: options.step, time: now.milliseconds, version: stored.version)
    }

    /// A new instance, which isn't in the table yet. Sets the work in `scratch` to that of the
    /// start, also if it fails.
    ///
    /// - Parameter parent: The full name of the instance that starts it.
    mutating func freshInstance(
        _ name: InstanceName, _ definition: Definition, input: JSONValue? = nil,
        parent: String? = nil, at now: Timestamp
    ) throws(StepFailure) -> any HostedInstance {
        scratch.work = 0
        return try definition.machine.makeInstance(
            InstanceIdentity(
                name: name.text, number: batch.lastNumber.value + 1, parent: parent),
            input: input, in: StepContext(limits: options.step, time: now.milliseconds),
            work: &scratch.work)
    }

    mutating func makeInstance(
        _ name: InstanceName, machine: any HostedInstance, definition: Definition,
        hasDedup: Bool = false, in turn: Turn
    ) throws(Failure) -> (place: InstanceTable.Place, outputs: [JournalRecord.Output]) {
        let now = turn.now
        scratch.removeAll()
        do {
            try machine.describeInitial(into: &scratch)
            try scratch.check(options.step)
        } catch {
            throw Failure(error, state: [], event: [])
        }
        try checkStep([], beside: 0)
        batch.lastNumber.value += 1
        var stored = StoredInstance(number: batch.lastNumber, name: name)
        stored.definitionVersion = definition.version
        pages.noteUse(of: definition.version, by: name.machine)
        stored.created = now
        stored.state = scratch.state.bytes.compact
        stored.isDone = machine.isTerminal
        stored.hasDedup = hasDedup
        if stored.isDone { stored.result = scratch.lastResult }
        var record = newRecord(.created)
        record.state = stored.state
        record.outputs = scratch.outputs
        record.isDone = stored.isDone
        record.definitionVersion = definition.version
        batch.deleted.remove(name)
        var resident = Resident(stored: stored, machine: machine)
        resident.isNew = true
        let place = instances.insert(resident)
        append(&record, to: place, before: nil, at: now)
        if !scratch.effects.isEmpty {
            startEffects(at: place, isDone: stored.isDone, in: turn)
            appendEffectRecord(liveEffects(at: place, in: turn))
        }
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
        write(&record)
        publishLater(&record, before: before)
        markDirty(place, followsFromJournal: record.followsFromJournal)
        notifyWaiters(of: place)
    }

    /// Sets the version of the loaded definition for a step.
    ///
    /// - Returns: The version, if it is new for the instance.
    private mutating func setDefinition(at place: InstanceTable.Place) -> String? {
        instances.residents[place].hasNewDefinition = false
        let machine = instances.residents[place].stored.name.machine
        // Only compiled machines have new versions for instances that exist.
        guard let definition = catalogue[machine], !definition.isFixed else { return nil }
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
            let isNew = instances.residents[place].isNew
            batch.writes.append(
                &instances.residents[place].stored, isNew: isNew,
                followsFromJournal: followsFromJournal)
            instances.residents[place].dirtyIndex = batch.dirty.count
            batch.dirty.append(place)
        }
    }

    /// The next step of the journal, by the sender of the request that is performed now, and of its
    /// trace.
    func newRecord(_ kind: JournalRecord.Kind) -> JournalRecord {
        JournalRecord(
            sequence: head + 1, kind: kind, by: batch.by, trace: batch.cause.trace)
    }

    /// Adds a step to the batch's writes. It isn't changed: a borrowed value of this size would be
    /// copied for each call.
    mutating func write(_ record: inout JournalRecord) {
        precondition(record.sequence == head + 1, "the journal is dense")
        record.encode(into: &batch.writes.journal)
        batch.writes.journalEnds.append(batch.writes.journal.count)
        counters.steps += 1
    }
}

extension StoredInstance {
    /// What its machine knows of it.
    var identity: InstanceIdentity {
        InstanceIdentity(name: name.text, number: number.value, parent: parent?.name)
    }
}

extension StepBuffer {
    /// The result of the instance whose last step this is.
    var lastResult: [UInt8]? { (result ?? outputs.last?.data)?.compact }
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
        case .eventLimit(let max):
            self = .stepLimit("an event may cause \(max) events", max: max)
        case .stepLimit(let message): self = .stepLimit(message, max: nil)
        case .stateTooLarge(let bytes, let max):
            self = .stateTooLarge(bytes: bytes, max: max)
        }
    }
}
