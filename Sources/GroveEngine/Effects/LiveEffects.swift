import Transducers

/// The effects of one instance, as one turn of the engine changes them.
struct LiveEffects {
    /// The rows and their ledger. An object: a change is one for all handles.
    let effects: InstanceEffects
    /// The instance's index in the table.
    let place: InstanceTable.Place
    /// The time and the store.
    let turn: Turn

    var now: Timestamp { turn.now }

    subscript(number: Int64) -> StoredEffect? { effects[number] }
}

extension Engine {
    mutating func liveEffects(at place: InstanceTable.Place, in turn: Turn) -> LiveEffects {
        if let effects = instances.residents[place].effects {
            return LiveEffects(effects: effects, place: place, turn: turn)
        }
        let stored = instances.residents[place].stored
        let effects = InstanceEffects([], of: stored.number, lastNumber: stored.lastEffectNumber)
        instances.residents[place].effects = effects
        return LiveEffects(effects: effects, place: place, turn: turn)
    }

    /// Finds an instance and reads its effects.
    ///
    /// - Returns: The effects; `nil` if the instance has none.
    mutating func liveEffects(
        of name: InstanceName, in turn: Turn
    ) throws(Failure) -> LiveEffects? {
        let found = try find(name, in: turn)
        _ = try stored(found, name: name)
        guard case .resident(let place) = found else {
            preconditionFailure("an instance that is there is resident")
        }
        try readEffects(at: place, in: turn)
        return instances.residents[place].effects.map {
            LiveEffects(effects: $0, place: place, turn: turn)
        }
    }

    /// Reads an instance's effects, if it has any that aren't in memory.
    mutating func readEffects(at place: InstanceTable.Place, in turn: Turn) throws(Failure) {
        guard instances.residents[place].effects == nil,
            instances.residents[place].stored.effectCount > 0
        else { return }
        let stored = instances.residents[place].stored
        let rows = try reading { () throws(StoreError) in
            try Self.effects(of: stored, in: turn)
        }
        instances.residents[place].effects = InstanceEffects(
            rows, of: stored.number, lastNumber: stored.lastEffectNumber)
        instances.weigh(place)
    }

    /// Reads the rows of an instance. Damaged rows of other instances don't matter, as long as
    /// all of its own can be read.
    private static func effects(
        of stored: StoredInstance, in turn: Turn
    ) throws(StoreError) -> [StoredEffect] {
        do throws(StoreError) {
            return try turn.store.effects(of: stored.number)
        } catch .corrupt(let location) {
            let rows = try turn.store.ownEffects(of: stored.number)
            guard rows.count == stored.effectCount else { throw .corrupt(location) }
            return rows
        }
    }

    /// Adds the changed rows of an instance's effects to its record, so that a store may write them
    /// later. Leaves them to the commit if the record can't have all of them.
    mutating func journalEffects(
        into record: inout JournalRecord, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        guard record.kind == .step || record.kind == .effect, !record.isDone,
            let effects = instances.residents[place].effects, effects.hasChanges,
            !instances.residents[place].isNew,
            instances.residents[place].stored.state.count <= Limits.journaledEffectBytesMax,
            let journaled = effects.journaledChanges
        else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + 112 * journaled.changes.count)
        do throws(StoreError) { try journaled.encode(into: &bytes, at: now) } catch {
            // The commit finds the same error in the row.
            return
        }
        record.effectRows = bytes
        _ = writeEffects(at: place, followsFromJournal: true)
    }

    /// Adds the changed rows of an instance's effects to the batch's writes. Returns whether there
    /// were any.
    mutating func writeEffects(
        at place: InstanceTable.Place, followsFromJournal: Bool = false
    ) -> Bool {
        guard let effects = instances.residents[place].effects, effects.hasChanges else {
            return false
        }
        effects.removeChanges { row, ref, isNew in
            batch.writes.write(
                row, of: ref, isNew: isNew, followsFromJournal: followsFromJournal)
        }
        schedule.isDueStale = true
        instances.residents[place].stored.lastEffectNumber = effects.ledger.lastNumber
        // Counts also rows that only stop a child: a reader of the instance has to find them.
        instances.residents[place].stored.effectCount = Int64(effects.rows.count)
        if effects.rows.isEmpty {
            closures.removeAll(of: instances.residents[place].stored.number)
        }
        return true
    }

    /// Appends a record of the changes since the last record, apart from any step.
    ///
    /// - Parameter row: The effect that they are of, if it is one: its trace is the record's,
    ///   unless a request makes them.
    mutating func appendEffectRecord(_ live: LiveEffects, of row: StoredEffect? = nil) {
        let place = live.place
        let changes = batch.effects.removeRecords()
        guard !changes.isEmpty else { return markDirty(place) }
        var record = newRecord(.effect)
        record.trace = record.trace ?? row?.body.traceparent
        record.effects = changes
        record.isDone = instances.residents[place].stored.isDone
        let state =
            needsStateBefore(at: place) ? instances.residents[place].stored.state : nil
        append(&record, to: place, before: state, at: live.now)
    }
}
