import Glibc
import GroveAccess
import GroveClient
import GroveEngine
import GroveServer
import GroveStorage
import OrderedJSON

/// The accounts in the data file of a server that is stopped: the first token of a new server, and
/// the way back in. A user who can write the file is its owner.
final class DataAccounts: AccountsPlace {
    private let path: String
    /// The open file; nil while there is none, which the first change makes.
    private var store: SQLiteStore?
    private var table = AccountsTable()

    /// Opens a data file, which no other process has open until ``close()``.
    ///
    /// - Parameter createsFile: Whether a missing file is made, by the first change that isn't
    ///   refused.
    init(path: String, createsFile: Bool) throws(StoreOpenError) {
        self.path = path
        let isMissing = access(path, F_OK) != 0 && errno == ENOENT
        if !createsFile || !isMissing { _ = try open(createsFile: createsFile) }
    }

    /// Closes the file.
    func close() throws(StoreError) { try store?.close() }

    private func open(createsFile: Bool) throws(StoreOpenError) -> SQLiteStore {
        var options = SQLiteStoreOptions()
        options.createsFile = createsFile
        let opened = try SQLiteStore.open(path: path, options: options)
        store = opened
        table = AccountsTable(opened.accounts.rows)
        return opened
    }

    func accounts() throws -> [PrincipalSummary] {
        let accounts = table.accounts(after: nil, limit: .max)
        let document = try Self.document { writer in
            writer.array("items", accounts) { writer, account in
                writer.object { writer in
                    writer.member("name", account.name.text)
                    account.appendMembers(to: &writer)
                }
            }
        }
        return try Page<PrincipalSummary, String>(Reply(document), next: nil).items
    }

    func change(_ change: PrincipalChange, _ mode: AccountsMode) throws -> AccountsReply {
        try carryOut(.change(try PrincipalEdit(change)), mode)
    }

    func revoke(_ principal: String, _ mode: AccountsMode) throws -> AccountsReply {
        try carryOut(.revoke(try PrincipalName(reading: principal)), mode)
    }

    func apply(_ document: [UInt8], _ mode: AccountsMode) throws -> AccountsReply {
        try carryOut(.apply(try AccountsDocument(parsing: document)), mode)
    }

    func createToken(_ order: TokenOrder) throws -> NewToken {
        var wish = TokenWish(try PrincipalName(reading: order.principal))
        wish.label = order.label ?? ""
        wish.end = try TokenEnd(order.expires)
        wish.grants = try order.grants.map { text in try Grant(reading: text, "$.grants") }
        return try make(force: order.force) { .createToken(wish, $0) }
    }

    func rotateToken(_ id: String, overlap: Duration?, expires: TokenExpiry) throws -> NewToken {
        let id = try TokenID(reading: id)
        let end = try TokenEnd(expires)
        let milliseconds = overlap.map { Int64($0 / .milliseconds(1)) }
        return try make(force: false) {
            .rotateToken(id, overlap: milliseconds ?? TokenEnd.standardOverlap, end, $0)
        }
    }

    func revokeToken(_ id: String?, force: Bool) throws -> AccountsReply {
        let command: AccountsCommand =
            try id.map { .revokeToken(try TokenID(reading: $0)) } ?? .revokeAllTokens
        return try carryOut(command, AccountsMode(force: force))
    }

    func audit(after number: Int64?, limit: Int) throws -> Page<AuditItem, Int64> {
        let entries = try store?.audit(after: number ?? 0, limit: limit).entries ?? []
        let document = try Self.document { writer in
            writer.array("items", entries) { writer, entry in
                writer.object { writer in
                    writer.member("n", entry.number)
                    writer.member("time", InstantText(milliseconds: entry.time).text)
                    writer.member("by", entry.by)
                    writer.member("from", entry.from)
                    writer.array("changes", entry.changes)
                    writer.member("hash", entry.hashText)
                }
            }
        }
        let last = entries.last?.number
        let next = last == table.audit?.number ? nil : last
        return try Page(Reply(document), next: next)
    }

    // MARK: changing

    /// Carries out a command and commits its rows.
    private func carryOut(
        _ command: AccountsCommand, force: Bool, isTrial: Bool
    ) throws -> AccountsOutcome {
        var caller = AccountsCaller.offline
        caller.force = force
        caller.isTrial = isTrial
        var next = table
        let outcome = try next.carryOut(command, as: caller, at: HumanTime.now)
        guard !outcome.rows.isEmpty else { return outcome }
        guard let store else {
            // By now, another program may have made one with accounts of its own.
            _ = try open(createsFile: true)
            return try carryOut(command, force: force, isTrial: isTrial)
        }
        var writes = WriteSet(firstSequence: store.head + 1)
        writes.accounts = outcome.rows
        try store.commit(writes)
        table = next
        return outcome
    }

    private func carryOut(
        _ command: AccountsCommand, _ mode: AccountsMode
    ) throws -> AccountsReply {
        let outcome = try carryOut(command, force: mode.force, isTrial: mode.isTrial)
        let document = try Self.document { $0.array("changes", outcome.lines) }
        return try AccountsReply(Reply(document))
    }

    /// Makes a token from the system's generator. Its text is in the answer only.
    private func make(
        force: Bool, _ command: (DigestedToken) -> AccountsCommand
    ) throws -> NewToken {
        let secret = BearerToken.generate()
        let outcome = try carryOut(command(DigestedToken(secret)), force: force, isTrial: false)
        guard let token = outcome.token, let owner = table.name(of: token.principal) else {
            preconditionFailure("a command that makes a token has one")
        }
        let document = try Self.document { writer in
            writer.name("token")
            secret.withBytes { writer.string(utf8: $0) }
            writer.member("token_id", token.id.text)
            writer.member("principal", owner)
            writer.member("expires", token.note.expires?.text)
        }
        return try NewToken(Reply(document))
    }

    /// An answer in the form of the wire.
    private static func document(
        _ members: (inout JSONWriter) -> Void
    ) throws(JSONError) -> JSONDocument {
        var writer = JSONWriter()
        writer.object { members(&$0) }
        return try JSONDocument(
            parsing: writer.bytes, limits: JSONDocument.limits(lineBytesMax: writer.bytes.count))
    }
}
