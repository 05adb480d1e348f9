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
    /// - Throws: `.corrupt` when the step doesn't follow the snapshot, or is one whose commit
    ///   writes the snapshot (``WriteSet/InstanceWrite/followsFromJournal``).
    public mutating func redo(_ record: JournalRecord) throws(StoreError) {
        guard record.number == number, record.name == name, record.previous == newest,
            record.version == version + 1, record.followsFromJournal, !isDone
        else {
            throw .corrupt(
                "journal step \(record.sequence) does not follow the snapshot of \(name)")
        }
        version = record.version
        updated = record.at
        newest = record.sequence
        beforeEffects = 0
        if let version = record.definitionVersion { definitionVersion = version }
        if record.dedup != nil { hasDedup = true }
        let skip = Skips.link(
            version: version, sequence: record.sequence, skips: &skips, created: origin)
        if let state = record.state { self.state = state }
        if record.state != nil || record.base != nil { stateAt = record.sequence }
        guard skip == record.skip, stateAt == record.stateAt else {
            throw .corrupt(
                "journal step \(record.sequence) is not linked as the snapshot of \(name)")
        }
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
