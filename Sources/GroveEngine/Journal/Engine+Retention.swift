import Transducers

// What a server forgets by itself: old steps of the journal, and instances that have been done
// for long. Both in small turns, which the host makes while nothing more urgent waits.

extension Engine {
    /// Removes old steps from the journal, about a millisecond of work in a separate transaction;
    /// returns whether more is left. May be called while ``hasOpenBatch``.
    ///
    /// - Throws: As the store. After `.full` and `.corrupt` the server continues.
    public mutating func truncate(
        to bounds: JournalBounds, at now: Timestamp, store: any Store
    ) throws(StoreError) -> Bool {
        try removingSteps(in: store) { () throws(StoreError) in
            try store.truncate(to: bounds, at: now)
        }
    }

    /// As ``truncate(to:at:store:)``, for machines with separate bounds.
    ///
    /// - Throws: As the store. After `.full` and `.corrupt` the server continues.
    public mutating func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp, store: any Store
    ) throws(StoreError) -> Bool {
        try removingSteps(in: store) { () throws(StoreError) in
            try store.truncateMachines(to: bounds, at: now)
        }
    }

    /// Removes steps and reads the new floors.
    mutating func removingSteps(
        in store: any Store, _ body: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        if let failure = storage.failure { throw failure }
        do throws(StoreError) {
            let isMore = try body()
            storage.floors = store.floors
            return isMore
        } catch {
            if case .inputOutput = error { storage.failure = error }
            throw error
        }
    }

    /// Deletes done instances whose last step was before `time`, as a request would: searches some,
    /// in the order of their numbers, for about a millisecond. The next flush commits the
    /// deletions.
    ///
    /// - Parameters:
    ///   - time: The earliest last step that stays.
    ///   - number: The end of the turn before.
    /// - Returns: The start of the next turn, `nil` at the end; the number of deletions; and the
    ///   faults of damaged instances, which stay.
    /// - Throws: As the store. After `.corrupt` the server continues.
    public mutating func expire(
        doneBefore time: Timestamp, after number: InstanceNumber, at now: Timestamp,
        store: any Store
    ) throws(StoreError) -> (next: InstanceNumber?, count: Int, damaged: [String]) {
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        let page: FinishedPage
        do throws(StoreError) {
            page = try store.finished(
                after: number, before: time, limit: Limits.expiryRowsPerTurn)
        } catch {
            if case .inputOutput = error { storage.failure = error }
            throw error
        }
        var count = 0
        for name in page.names where isFinished(name, before: time) {
            if try hasWork(name, in: turn) { continue }
            let reply = delete(name, reason: "retention", in: turn)
            if let failure = storage.failure { throw failure }
            if case .stopped = reply { count += 1 }
        }
        batch.expiring += Int64(count)
        return (page.next, count, page.damaged)
    }

    /// Whether effects of the instance still run: its last step may have asked for them.
    private mutating func hasWork(_ name: InstanceName, in turn: Turn) throws(StoreError) -> Bool {
        do throws(Failure) {
            guard case .resident(let place) = try find(name, in: turn) else { return false }
            try readEffects(at: place, in: turn)
            let rows = instances.residents[place].effects?.rows ?? [:]
            return rows.values.contains { ![.failed, .completed].contains($0.body.phase) }
        } catch {
            if let failure = storage.failure { throw failure }
            // What can't be read isn't deleted without being asked for.
            return true
        }
    }

    /// Whether the instance is still done with the batch's changes.
    private func isFinished(_ name: InstanceName, before time: Timestamp) -> Bool {
        if batch.deleted.contains(name) { return false }
        guard let place = instances.place(of: name) else { return true }
        let stored = instances.residents[place].stored
        return stored.isDone && stored.updated < time
    }
}
