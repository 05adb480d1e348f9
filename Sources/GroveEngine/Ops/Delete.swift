extension Engine {
    /// `delete`: removes the instance with its journal and dedup entries; one `deleted` record
    /// stays. The name is free again, for a different instance. `reason` is set if no client
    /// requested it.
    mutating func delete(_ name: InstanceName, reason: String?, in turn: Turn) -> Reply {
        do throws(Failure) {
            let found = try find(name, in: turn)
            let stored = try self.stored(found, name: name)
            guard case .resident(let place) = found else {
                preconditionFailure("an instance that is there is resident")
            }
            removeHold(on: name)
            pages.keepSteps(of: name)
            try readEffects(at: place, in: turn)
            removeEffects(at: place, in: turn)
            if !stored.isDone { notifyParent(of: place, stopReason: "deleted", in: turn) }
            notifyWaiters(ofDeleted: name)
            removeDirty(place)
            instances.remove(at: place)
            // The removal moved the last instance to this place.
            if place < instances.count, instances.residents[place].isDirty {
                batch.dirty[instances.residents[place].dirtyIndex] = place
            }
            batch.deleted.insert(name)
            batch.writes.deletions.append(
                WriteSet.Deletion(number: stored.number, newest: stored.newest))
            if !subscriptions.isEmpty { batch.unpublished.insert(stored.number) }
            var record = newRecord(.deleted)
            record.name = name
            record.version = stored.version
            record.at = turn.now
            record.reason = reason
            write(&record)
            publishLater(&record, before: stored.state)
            return .stopped(version: stored.version, cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }

    /// Removes an instance from the batch's list of changed ones. The list's last entry moves to
    /// its index.
    private mutating func removeDirty(_ place: InstanceTable.Place) {
        guard instances.residents[place].isDirty else { return }
        let index = instances.residents[place].dirtyIndex
        let last = batch.dirty.removeLast()
        guard last != place else { return }
        batch.dirty[index] = last
        instances.residents[last].dirtyIndex = index
    }
}
