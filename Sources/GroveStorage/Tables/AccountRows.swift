import GroveAccess
import GroveEngine

/// The rows of accounts in the tables `principals`, `tokens` and `audit`. Opening the file reads
/// all of them but the older entries of the audit, and they rarely change.
enum AccountRows {
    /// Returns all principals and tokens, and the last entry of the audit.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum, or can't be decoded.
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> AccountsTable {
        var table = AccountsTable()
        var failure: StoreError?
        func take(_ row: Result<AccountRow, StoreError>) {
            switch row {
            case .success(let row): table.apply(row)
            case .failure(let error): failure = failure ?? error
            }
        }
        try PrincipalTable.forEach(connection) { take($0.map { .principal($0) }) }
        try TokenTable.forEach(connection) { row in
            guard case .success(let token) = row, table.principals[token.principal] == nil else {
                return take(row.map { .token($0) })
            }
            take(.failure(.corrupt("token \(token.id) is of no principal")))
        }
        if let last = try AuditTable.last(connection) { take(.success(.audit(last))) }
        if let failure { throw failure }
        return table
    }

    /// Writes changed rows, in order, within a transaction.
    static func write(
        _ rows: [AccountRow], _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        for row in rows {
            switch row {
            case .principal(let principal): try PrincipalTable.write(principal, connection)
            case .token(let token): try TokenTable.write(token, connection)
            case .tokenRevoked(let id): try TokenTable.remove(id, connection)
            case .audit(let entry): try AuditTable.write(entry, connection)
            }
        }
    }
}

extension Checksum {
    /// Adds bytes behind their number.
    mutating func addCounted(_ bytes: [UInt8]) {
        add(Int64(bytes.count))
        bytes.withUnsafeBytes { add($0) }
    }

    /// Adds an integer that may be missing.
    mutating func add(_ value: Int64?) { add(value == nil ? 0 : 1, value ?? 0) }
}
