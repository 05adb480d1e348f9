import Transducers

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
            let outputs = runStop(at: place, turn)
            instances.residents[place].stored.isDone = true
            instances.residents[place].stored.result = Array(Self.stoppedResult.utf8)
            var record = newRecord(.stopped)
            record.isDone = true
            record.reason = reason
            removeHold(on: name)
            // Cancels its effects first, then starts those that the machine has asked for last.
            startEffects(at: place, isDone: true, in: turn)
            record.outputs = outputs
            record.effects = batch.effects.removeRecords()
            append(&record, to: place, before: stored.state, at: turn.now)
            let cursor = Cursor(sequence: head)
            notifyParent(of: place, stopReason: reason ?? "", in: turn)
            return .stopped(version: stored.version, cursor: cursor)
        } catch {
            return .failure(error)
        }
    }

    /// Lets the machine do what it does when it is stopped: its effects are in `scratch` then. An
    /// instance that can't be read, is held, or fails then is stopped all the same.
    ///
    /// - Returns: The outputs.
    private mutating func runStop(
        at place: InstanceTable.Place, _ turn: Turn
    ) -> [JournalRecord.Output] {
        scratch.removeAll()
        let stored = instances.residents[place].stored
        // Only data has something to do, and code may end the process.
        guard catalogue.definition(of: stored)?.isFixed == true,
            holds.holding(stored.name) == nil
        else { return [] }
        do {
            try restoreMachine(at: place)
            let context = context(of: stored, at: turn.now)
            let didStop = try instances.residents[place].machine?.stop(in: context, into: &scratch)
            instances.residents[place].dropMachine()
            if didStop == true {
                try checkStep(
                    [], beside: stored.effectCount,
                    bytes: instances.residents[place].effects?.bytes ?? 0)
                return scratch.outputs
            }
        } catch {
            // Its last actions failed; a stop isn't refused for that.
        }
        scratch.removeAll()
        return []
    }
}
