import CSQLite
import GroveAccess
import GroveEngine

/// The SQL of `tokens`: one row per token that isn't revoked, with the digest of its secret only.
enum TokenTable {
    /// Reads all rows, also damaged ones, in the order of ids.
    static func forEach(
        _ connection: SQLiteConnection, _ body: (Result<StoredToken, StoreError>) -> Void
    ) throws(StoreError) {
        let select = try connection.query(
            """
            SELECT id, digest, principal, label, made, expires, last_used, crc FROM tokens
            ORDER BY id
            """)
        defer { select.reset() }
        while try select.row() {
            let text = select.text(0)
            guard let token = token(select), Int64(checksum(token)) == select.integer(7) else {
                // The public part, which stands in lists and in the log.
                body(.failure(.corrupt("token \(text) does not match its checksum")))
                continue
            }
            body(.success(token))
        }
    }

    private static func token(_ row: borrowing Statement) -> StoredToken? {
        let expires = row.type(5) == SQLITE_NULL ? nil : row.integer(5)
        let lastUsed = row.type(6) == SQLITE_NULL ? nil : row.integer(6)
        guard let id = TokenID(row.text(0)), let digest = TokenDigest(bytes: Array(row.bytes(1))),
            let principal = UInt32(exactly: row.integer(2))
        else { return nil }
        return StoredToken(
            id, digest, of: principal, label: row.text(3), made: row.integer(4), expires: expires,
            lastUsed: lastUsed)
    }

    /// Writes a row, or replaces that of its id.
    static func write(
        _ token: StoredToken, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let replace = try connection.prepare(
            """
            REPLACE INTO tokens (id, digest, principal, label, made, expires, last_used, crc)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        try replace.bind(1, copy: token.id.text)
        try replace.bind(2, copy: token.digest.bytes)
        replace.bind(3, Int64(token.principal))
        try replace.bind(4, copy: token.label)
        replace.bind(5, token.made)
        try replace.bind(6, token.expires)
        try replace.bind(7, token.lastUsed)
        replace.bind(8, checksum(token))
        try replace.run()
    }

    /// Removes a row; nothing happens without one.
    static func remove(_ id: TokenID, _ connection: SQLiteConnection) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM tokens WHERE id = ?1")
        try delete.bind(1, copy: id.text)
        try delete.run()
    }

    private static func checksum(_ token: StoredToken) -> UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(token.principal), token.made)
        checksum.add(token.expires)
        checksum.add(token.lastUsed)
        checksum.addCounted(Array(token.id.text.utf8))
        checksum.addCounted(token.digest.bytes)
        checksum.addCounted(Array(token.label.utf8))
        return checksum.value
    }
}
