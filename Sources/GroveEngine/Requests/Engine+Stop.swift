extension Engine {
    /// `stop`: the instance becomes done with result `"stopped"`; no version is used.
    mutating func stop(
        _ name: InstanceName, reason: String?, at now: Timestamp, store: any Store
    ) -> Reply {
        do throws(Failure) {
            let found = try find(name, store: store)
            let stored = try self.stored(found, name: name)
            if stored.isDone { throw Failure.instanceDone(name, version: stored.version) }
            guard case .resident(let place) = found else {
                preconditionFailure("an instance that is there is resident")
            }
            try readEffects(at: place, store: store)
            instances.residents[place].stored.isDone = true
            instances.residents[place].stored.result = Array(Self.stoppedResult.utf8)
            var record = JournalRecord(sequence: head + 1, kind: .stopped)
            record.isDone = true
            record.reason = reason
            forgetHold(on: name)
            cancelEffects(at: place, now)
            record.effects = batch.effects.takeNotes()
            append(&record, to: place, before: stored.state, at: now)
            let cursor = Cursor(sequence: head)
            tellParent(of: place, stopReason: reason ?? "", now, store: store)
            return .stopped(version: stored.version, cursor: cursor)
        } catch {
            return .failure(error)
        }
    }
}
