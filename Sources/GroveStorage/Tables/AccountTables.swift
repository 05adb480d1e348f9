import CSQLite
import GroveAccess
import GroveEngine

// The SQL of `principals`, `tokens` and `audit`. Opening the file reads all principals and tokens,
// and the last entry of the audit. All three rarely change.

/// The SQL of `principals`: one row per principal that ever was. A document of one account holds its
/// identities, grants and quotas.
enum PrincipalTable {
    /// Returns all principals, in the order of their numbers.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum, or can't be read.
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [StoredPrincipal] {
        let select = try connection.query(
            "SELECT number, revoked, account, crc FROM principals ORDER BY number")
        defer { select.reset() }
        var rows: [StoredPrincipal] = []
        while try select.row() {
            let (number, revoked) = (select.integer(0), select.integer(1))
            let account = select.bytes(2)
            guard Int64(checksum(number, revoked, account)) == select.integer(3),
                let number = UInt32(exactly: number), number >= StoredPrincipal.firstNumber
            else { throw .corrupt("a row of table principals does not match its checksum") }
            rows.append(
                StoredPrincipal(
                    number: number, account: try self.account(in: Array(account), number),
                    isRevoked: revoked != 0))
        }
        return rows
    }

    private static func account(
        in document: [UInt8], _ number: UInt32
    ) throws(StoreError) -> Account {
        let accounts: [Account]
        do throws(AccountsProblems) {
            accounts = try AccountsDocument(parsing: document).accounts
        } catch {
            throw .corrupt("row \(number) of table principals: \(error)")
        }
        guard accounts.count == 1 else {
            throw .corrupt("row \(number) of table principals is no account")
        }
        return accounts[0]
    }

    static func write(
        _ row: StoredPrincipal, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let account = AccountsDocument([row.account]).serialized()
        let (number, revoked) = (Int64(row.number), Int64(row.isRevoked ? 1 : 0))
        let replace = try connection.prepare(
            """
            REPLACE INTO principals (number, name, revoked, account, crc)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        replace.bind(1, number)
        try replace.bind(2, copy: row.name.text)
        replace.bind(3, revoked)
        try replace.bind(4, copy: account)
        replace.bind(5, account.withUnsafeBytes { checksum(number, revoked, $0) })
        try replace.run()
    }

    private static func checksum(
        _ number: Int64, _ revoked: Int64, _ account: UnsafeRawBufferPointer
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, revoked)
        checksum.add(account)
        return checksum.value
    }
}

/// The SQL of `tokens`: one row per token that isn't revoked, with the digest of its text.
enum TokenTable {
    /// Returns all tokens, in the order of their ids.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum.
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [StoredToken] {
        let select = try connection.query(
            """
            SELECT id, digest, principal, label, made, expires, last_used, crc FROM tokens
            ORDER BY id
            """)
        defer { select.reset() }
        var rows: [StoredToken] = []
        while try select.row() {
            let expires = select.type(5) == SQLITE_NULL ? nil : select.integer(5)
            let lastUsed = select.type(6) == SQLITE_NULL ? nil : select.integer(6)
            guard let id = TokenID(select.text(0)),
                let digest = TokenDigest(bytes: Array(select.bytes(1))),
                let principal = UInt32(exactly: select.integer(2))
            else { throw damaged }
            let row = StoredToken(
                id, digest, of: principal, label: select.text(3), made: select.integer(4),
                expires: expires, lastUsed: lastUsed)
            guard Int64(checksum(row)) == select.integer(7) else { throw damaged }
            rows.append(row)
        }
        return rows
    }

    private static let damaged = StoreError.corrupt(
        "a row of table tokens does not match its checksum")

    static func write(_ row: StoredToken, _ connection: SQLiteConnection) throws(SQLiteFailure) {
        let replace = try connection.prepare(
            """
            REPLACE INTO tokens
                (id, digest, principal, label, made, expires, last_used, crc)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        try replace.bind(1, copy: row.id.text)
        try replace.bind(2, copy: row.digest.bytes)
        replace.bind(3, Int64(row.principal))
        try replace.bind(4, copy: row.label)
        replace.bind(5, row.made)
        try replace.bind(6, row.expires)
        try replace.bind(7, row.lastUsed)
        replace.bind(8, checksum(row))
        try replace.run()
    }

    static func remove(_ id: TokenID, _ connection: SQLiteConnection) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM tokens WHERE id = ?1")
        try delete.bind(1, copy: id.text)
        try delete.run()
    }

    private static func checksum(_ row: StoredToken) -> UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(row.principal), row.made)
        checksum.add(row.expires ?? .min, row.lastUsed ?? .min)
        for bytes in [Array(row.id.text.utf8), row.digest.bytes, Array(row.label.utf8)] {
            checksum.add(Int64(bytes.count), 0)
            bytes.withUnsafeBytes { checksum.add($0) }
        }
        return checksum.value
    }
}

/// The SQL of `audit`: one row per change of accounts. Their hashes are their checksums.
enum AuditTable {
    /// Returns entries after a number, in order.
    ///
    /// - Throws: `.corrupt` when a row can't be read.
    static func read(
        after number: Int64, limit: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> [AuditEntry] {
        let select = try connection.query(
            "SELECT number, body, hash FROM audit WHERE number > ?1 ORDER BY number LIMIT ?2")
        defer { select.reset() }
        select.bind(1, number)
        select.bind(2, Int64(limit))
        var entries: [AuditEntry] = []
        while try select.row() { entries.append(try entry(select)) }
        return entries
    }

    /// Returns the last entry; `nil` without any.
    static func last(_ connection: SQLiteConnection) throws(StoreError) -> AuditEntry? {
        let select = try connection.query(
            "SELECT number, body, hash FROM audit ORDER BY number DESC LIMIT 1")
        defer { select.reset() }
        return try select.row() ? try entry(select) : nil
    }

    private static func entry(
        _ select: borrowing Statement
    ) throws(StoreError) -> AuditEntry {
        let number = select.integer(0)
        guard
            let entry = AuditEntry(
                body: Array(select.bytes(1)), hash: Array(select.bytes(2))),
            entry.number == number
        else { throw .corrupt("row \(number) of table audit can't be read") }
        return entry
    }

    static func write(_ row: AuditEntry, _ connection: SQLiteConnection) throws(SQLiteFailure) {
        let insert = try connection.prepare(
            "INSERT INTO audit (number, time, body, hash) VALUES (?1, ?2, ?3, ?4)")
        insert.bind(1, row.number)
        insert.bind(2, row.time)
        try insert.bind(3, copy: row.body)
        try insert.bind(4, copy: row.hash)
        try insert.run()
    }

    /// Removes up to `limit` of the oldest entries made before a time, and never the last one.
    static func remove(
        before time: Int64, limit: Int, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let delete = try connection.prepare(
            """
            DELETE FROM audit WHERE number IN (
                SELECT number FROM audit ORDER BY number LIMIT ?2
            ) AND time < ?1 AND number < (SELECT max(number) FROM audit)
            """)
        delete.bind(1, time)
        delete.bind(2, Int64(limit))
        try delete.run()
    }
}
