import GroveAccess
import GroveEngine

extension SQLiteStore {
    public var accounts: StoredAccounts { StoredAccounts(state.accounts.rows) }

    public func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage {
        try reading { (_) throws(StoreError) in
            AuditPage(try AuditTable.read(after: number, limit: limit, connection))
        }
    }

    public func truncateAudit(before time: Timestamp) throws(StoreError) -> Bool {
        guard let oldest = try audit(after: 0, limit: 1).entries.first,
            oldest.time < time.milliseconds, oldest.number < state.accounts.audit?.number ?? 0
        else { return false }
        try transaction(try tables()) { (_) throws(SQLiteFailure) in
            try AuditTable.remove(
                before: time.milliseconds, limit: StoreLimits.auditRowsPerTurn, connection)
        }
        hasFreedPages = true
        return true
    }

    /// Writes changed rows, within a transaction.
    func write(_ rows: [AccountRow], _ next: inout State) throws(SQLiteFailure) {
        for row in rows {
            switch row {
            case .principal(let principal): try PrincipalTable.write(principal, connection)
            case .token(let token): try TokenTable.write(token, connection)
            case .tokenRevoked(let id): try TokenTable.remove(id, connection)
            case .audit(let entry): try AuditTable.write(entry, connection)
            }
            next.accounts.apply(row)
        }
    }
}
