import GroveAccess
import GroveEngine
import GroveTestSupport

/// Makes commits of accounts, and knows what a store should hold after them.
struct AccountsModel {
    private(set) var table = AccountsTable()
    private(set) var entries: [AuditEntry] = []
    private var made = 0

    private static let names = ["shop", "ops", "web-1"]

    /// A commit that adds a principal with an identity and a grant.
    mutating func addPrincipal(_ text: String, identity: String) throws -> [AccountRow] {
        let name = try PrincipalName(text)
        return try change([
            .addPrincipal(name), .addIdentity(name, try Identity(identity)),
            .addGrant(name, try Grant("read order/*")),
            .setQuota(name, .connections, from: nil, to: 16),
        ])
    }

    /// A commit that makes a token.
    mutating func addToken(of text: String, _ id: String) throws -> [AccountRow] {
        guard let principal = table[try PrincipalName(text)], let id = TokenID(id),
            let digest = TokenDigest(bytes: [UInt8](repeating: 7, count: 32))
        else { preconditionFailure("no \(text)") }
        let token = StoredToken(
            id, digest, of: principal.number, label: "web", made: 7, expires: 9_000_000)
        return append([.token(token)], ["+ token \(id)"])
    }

    /// A random commit.
    mutating func change(_ random: inout SeededRandom) throws -> [AccountRow] {
        let index = Int.random(in: 0..<Self.names.count, using: &random)
        let text = Self.names[index]
        guard let principal = table[try PrincipalName(text)] else {
            return try addPrincipal(text, identity: "uid:\(1_000 + index)")
        }
        let account = table.account(of: principal)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return try change([.removePrincipal(account)])
        case 1:
            guard let note = account.tokens?.first else { break }
            return try change([.removeToken(account.name, note)])
        case 2:
            guard let note = account.tokens?.last else { break }
            var other = note
            other.label = "other \(made)"
            return try change([.setToken(account.name, from: note, to: other)])
        default: break
        }
        made += 1
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let id = "tokenaa".prefix(6) + "\(letters[made / 26 % 26])\(letters[made % 26])"
        return try addToken(of: text, String(id))
    }

    private mutating func change(_ changes: [AccountChange]) throws -> [AccountRow] {
        var next = table
        let rows = try next.apply(changes)
        return append(rows, changes.map(\.line))
    }

    private mutating func append(_ rows: [AccountRow], _ lines: [String]) -> [AccountRow] {
        let entry = table.nextAudit(
            at: Int64(1_000 * (entries.count + 1)), by: "owner", from: "unix", changes: lines)
        entries.append(entry)
        let all = rows + [.audit(entry)]
        for row in all { table.apply(row) }
        return all
    }
}

/// The rows of accounts as lines, for comparisons.
func lines(_ rows: [AccountRow]) -> [String] {
    rows.map { row in
        switch row {
        case .principal(let principal): "\(principal)"
        case .token(let token):
            "\(token.id) \(token.digest.bytes) \(token.principal) \(token.label) \(token.made) "
                + "\(token.expires ?? -1) \(token.lastUsed ?? -1)"
        case .tokenRevoked(let id): "revoked \(id)"
        case .audit(let entry): "\(entry)"
        }
    }
}

/// Commits rows of accounts alone.
func commit(_ rows: [AccountRow], to store: any Store) throws {
    var writes = WriteSet(firstSequence: store.head + 1)
    writes.accounts = rows
    try store.commit(writes)
}
