extension Engine {
    /// `stop`: the instance becomes done with result `"stopped"`; no version is used.
    mutating func stop(_ name: InstanceName, reason: String?, in turn: Turn) -> Reply {
        do throws(Failure) {
            let found = try find(name, in: turn)
            let stored = try self.stored(found, name: name)
            if stored.isDone { throw Failure.instanceDone(name, version: stored.version) }
            guard case .resident(let place) = found else {
                preconditionFailure("an instance that is there is resident")
            }
            try readEffects(at: place, in: turn)
            instances.residents[place].stored.isDone = true
            instances.residents[place].stored.result = Array(Self.stoppedResult.utf8)
            var record = JournalRecord(sequence: head + 1, kind: .stopped)
            record.isDone = true
            record.reason = reason
            removeHold(on: name)
            cancelEffects(at: place, in: turn)
            record.effects = batch.effects.removeRecords()
            append(&record, to: place, before: stored.state, at: turn.now)
            let cursor = Cursor(sequence: head)
            notifyParent(of: place, stopReason: reason ?? "", in: turn)
            return .stopped(version: stored.version, cursor: cursor)
        } catch {
            return .failure(error)
        }
    }
}
