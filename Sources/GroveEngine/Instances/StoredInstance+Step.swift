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
