import GroveAccess
import GroveEngine

extension SQLiteStore {
    public var accounts: StoredAccounts { StoredAccounts(state.accounts.rows) }

    /// Returns up to `limit` entries of the audit after a number, in order.
    ///
    /// - Throws: `.corrupt` when one of them is damaged.
    public func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage {
        try reading { (_) throws(StoreError) in
            // A file of an older schema that is inspected has no such table, and no entries.
            guard state.accounts.audit != nil else { return AuditPage() }
            return try AuditTable.page(after: number, limit: limit, connection)
        }
    }

    /// Removes the oldest entries of the audit made before a time, but never the last one, in a
    /// separate transaction. Returns whether more is left. Entries of a time after `now` go with
    /// those around them, unless they alone fill a turn.
    ///
    /// - Throws: `.full`, and nothing was removed. `.corrupt` when an entry to be removed is
    ///   damaged: all stay. `.inputOutput`.
    public func truncateAudit(
        before time: Timestamp, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let tables = try tables()
        guard let last = state.accounts.audit?.number else { return false }
        let oldest = try reading { (_) throws(StoreError) in
            try AuditTable.oldest(
                before: time.milliseconds, at: now.milliseconds, last: last, connection)
        }
        guard let number = oldest.last else { return false }
        try transaction(tables) { (_) throws(SQLiteFailure) in
            try AuditTable.remove(through: number, connection)
        }
        hasFreedPages = true
        try checkpointIfDue(tables)
        return oldest.isIncomplete
    }
}
