extension StoredInstance {
    /// Applies the state after an event; `after` then holds the state before it. Sets the record's
    /// version, and its state if that changed.
    ///
    /// - Parameters:
    ///   - after: The state after the event as JSON.
    ///   - result: The result, if the event is the last one.
    ///   - record: The event's record, whose `isDone` is set.
    mutating func apply(
        _ after: inout [UInt8], result: [UInt8]?, into record: inout JournalRecord
    ) {
        version += 1
        record.version = version
        if !after.hasSameBytes(as: state) {
            // State buffers are recycled between instances. A small state must not keep the
            // buffer of a large one.
            if after.capacity > 2 * after.count + 64 { after = after.compact }
            swap(&state, &after)
            record.state = state
        }
        if record.isDone {
            isDone = true
            self.result = result
        }
    }

    /// Applies a step that the journal holds to the snapshot before it, as its first processing
    /// did. Runs no code of the machine.
    ///
    /// - Returns: The rows of effects that the step changed; `nil` if it changed none.
    /// - Throws: `.corrupt` when the step doesn't follow the snapshot, or is one whose commit
    ///   writes the snapshot (``WriteSet/InstanceWrite/followsFromJournal``).
    @discardableResult
    public mutating func redo(_ record: JournalRecord) throws(StoreError) -> JournaledEffects? {
        let isStep = record.kind == .step
        guard record.number == number, record.name == name, record.previous == newest,
            record.version == version + (isStep ? 1 : 0), record.followsFromJournal, !isDone,
            isStep || record.beforeEffects == beforeEffects
        else {
            throw .corrupt(
                "journal step \(record.sequence) does not follow the snapshot of \(name)")
        }
        let effects = try record.effectRows.map { rows throws(StoreError) in
            try JournaledEffects(decoding: rows, of: record)
        }
        if let effects {
            lastEffectNumber = effects.lastNumber
            effectCount = effects.count
        }
        version = record.version
        updated = record.at
        if isStep { beforeEffects = 0 } else if beforeEffects == 0 { beforeEffects = newest }
        newest = record.sequence
        if let version = record.definitionVersion { definitionVersion = version }
        if record.dedup != nil { hasDedup = true }
        let skip =
            isStep
            ? Skips.link(
                version: version, sequence: record.sequence, skips: &skips, created: origin) : 0
        if let state = record.state { self.state = state }
        if record.state != nil || record.base != nil { stateAt = record.sequence }
        guard skip == record.skip, stateAt == record.stateAt else {
            throw .corrupt(
                "journal step \(record.sequence) is not linked as the snapshot of \(name)")
        }
        return effects
    }

    /// Links a new step of the instance to earlier ones.
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
