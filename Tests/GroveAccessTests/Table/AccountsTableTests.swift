import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AccountsTable")
struct AccountsTableTests {
    /// The table of a document, by changes and by tokens that are made.
    private func table(_ document: AccountsDocument) throws -> AccountsTable {
        var table = AccountsTable()
        var bare = AccountsDocument([])
        bare = AccountsDocument(
            document.accounts.map { account in
                var account = account
                if account.name != .anonymous { account.setTokens([]) }
                return account
            })
        _ = try table.apply(AccountsDifference(from: AccountsDocument(), to: bare).changes)
        for account in document.accounts {
            for note in account.tokens ?? [] {
                let principal = try #require(table[account.name])
                let digest = try #require(TokenDigest(bytes: AuditEntry.noHash))
                table.apply(
                    .token(
                        StoredToken(
                            note.id, digest, of: principal.number, label: note.label, made: 1,
                            expires: note.expires?.milliseconds)))
            }
        }
        return table
    }

    @Test(arguments: 1...60)
    func `changes do to a table what they do to a document`(seed: UInt64) throws {
        var maker = AccountsMaker(seed: seed)
        let present = try maker.document()
        var table = try table(present)
        let tokens = Dictionary(
            uniqueKeysWithValues: present.accounts.map { ($0.name, $0.tokens ?? []) })
        let wanted = try maker.document(tokens: tokens)
        let before = table.document
        let difference = try AccountsDifference(from: before, to: wanted)
        let expected = try difference.applied(to: before)
        let rows = try table.apply(difference.changes)
        #expect(table.document == expected)
        // Rows alone make the same table, and a table its rows.
        var copy = try self.table(present)
        for row in rows { copy.apply(row) }
        #expect(copy.document == expected)
        let again = AccountsTable(table.rows)
        #expect(again.document == expected)
        #expect(again.isOpen == table.isOpen)
    }

    @Test func `a change that doesn't fit changes nothing`() throws {
        let shop = try PrincipalName("shop")
        let uid = try Identity("uid:1")
        var table = AccountsTable()
        _ = try table.apply([.addPrincipal(shop), .addIdentity(shop, uid)])
        let ops = try PrincipalName("ops")
        #expect(throws: AccountsConflictError.self) {
            try table.apply([.addPrincipal(ops), .addIdentity(ops, uid)])
        }
        #expect(table[ops] == nil)
        #expect(table.principal(with: uid)?.name == shop)
    }

    @Test func `an identity that has moved stays where it is`() throws {
        var table = AccountsTable()
        var shop = Account(try PrincipalName("shop"))
        let uid = try Identity("uid:1")
        shop.insert(uid)
        var ops = Account(try PrincipalName("ops"))
        ops.insert(uid)
        table.apply(.principal(StoredPrincipal(number: 2, account: shop)))
        table.apply(.principal(StoredPrincipal(number: 3, account: ops)))
        _ = shop.remove(uid)
        table.apply(.principal(StoredPrincipal(number: 2, account: shop)))
        #expect(table.principal(with: uid)?.number == 3)
    }

    @Test func `a revoked principal keeps its number and frees its name`() throws {
        let shop = try PrincipalName("shop")
        var table = AccountsTable()
        _ = try table.apply([.addPrincipal(shop)])
        let first = try #require(table[shop])
        _ = try table.apply([.removePrincipal(table.account(of: first))])
        #expect(table[shop] == nil)
        #expect(!table.isOpen)
        _ = try table.apply([.addPrincipal(shop)])
        #expect(table[shop]?.number == first.number + 1)
        #expect(table.name(of: first.number) == "shop")
        #expect(table.name(of: StoredPrincipal.anonymousNumber) == nil)
        #expect(table.name(of: StoredPrincipal.ownerNumber) == "owner")
    }

    @Test func `a token is found by its id and digest until it ends`() throws {
        let shop = try PrincipalName("shop")
        var table = AccountsTable()
        _ = try table.apply([.addPrincipal(shop)])
        let id = try #require(TokenID("aaaaaaaa"))
        let right = try #require(TokenDigest(bytes: [UInt8](repeating: 7, count: 32)))
        let wrong = try #require(TokenDigest(bytes: [UInt8](repeating: 8, count: 32)))
        table.apply(.token(StoredToken(id, right, of: 2, made: 1, expires: 100)))
        #expect(table.token(id, right, at: 99)?.principal == 2)
        #expect(table.token(id, right, at: 100) == nil)
        #expect(table.token(id, wrong, at: 99) == nil)
        #expect(TokenID("bbbbbbbb").map { table.token($0, right, at: 99) == nil } == true)
        table.apply(.tokenRevoked(id))
        #expect(table.token(id, right, at: 99) == nil)
        #expect(table.tokens(of: 2).isEmpty)
    }
}
