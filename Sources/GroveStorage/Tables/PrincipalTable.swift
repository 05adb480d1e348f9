import GroveAccess
import GroveEngine

/// The SQL of `principals`: one row per principal that ever was. The account is the JSON of
/// ``Account/serialized()``; its tokens are rows of `tokens`.
enum PrincipalTable {
    /// Reads all rows, also damaged ones, in the order of numbers.
    static func forEach(
        _ connection: SQLiteConnection, _ body: (Result<StoredPrincipal, StoreError>) -> Void
    ) throws(StoreError) {
        let select = try connection.query(
            "SELECT number, name, revoked, account, crc FROM principals ORDER BY number")
        defer { select.reset() }
        while try select.row() {
            let number = select.integer(0)
            let name = select.text(1)
            let account = Array(select.bytes(3))
            let crc = checksum(number, name, select.integer(2) != 0, account)
            guard Int64(crc) == select.integer(4),
                let number = UInt32(exactly: number), number >= StoredPrincipal.firstNumber
            else {
                body(.failure(.corrupt("principal \(number) does not match its checksum")))
                continue
            }
            body(principal(number, name, isRevoked: select.integer(2) != 0, account))
        }
    }

    private static func principal(
        _ number: UInt32, _ text: String, isRevoked: Bool, _ account: [UInt8]
    ) -> Result<StoredPrincipal, StoreError> {
        do {
            let name: PrincipalName =
                try text == PrincipalName.anonymous.text ? .anonymous : PrincipalName(text)
            let account = try Account(named: name, parsing: account)
            return .success(
                StoredPrincipal(number: number, account: account, isRevoked: isRevoked))
        } catch {
            return .failure(.corrupt("principal \(number) has an account that can't be read"))
        }
    }

    /// Writes a row, or replaces that of its number.
    static func write(
        _ principal: StoredPrincipal, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let account = principal.account.serialized()
        let replace = try connection.prepare(
            """
            REPLACE INTO principals (number, name, revoked, account, crc)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        replace.bind(1, Int64(principal.number))
        try replace.bind(2, copy: principal.name.text)
        replace.bind(3, Int64(principal.isRevoked ? 1 : 0))
        try replace.bind(4, copy: account)
        replace.bind(
            5,
            checksum(
                Int64(principal.number), principal.name.text, principal.isRevoked, account))
        try replace.run()
    }

    private static func checksum(
        _ number: Int64, _ name: String, _ isRevoked: Bool, _ account: [UInt8]
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, isRevoked ? 1 : 0)
        checksum.addCounted(Array(name.utf8))
        checksum.addCounted(account)
        return checksum.value
    }
}
