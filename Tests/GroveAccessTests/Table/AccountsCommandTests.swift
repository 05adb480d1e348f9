import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AccountsCommand")
struct AccountsCommandTests {
    private static let day: Int64 = 86_400_000

    /// A token whose id begins with this number of letters `a`, and then only `b`.
    private static func token(_ number: UInt8) throws -> DigestedToken {
        let bytes: [UInt8] = (0..<UInt8(96)).map { $0 < number ? 0 : 1 }
        let made = bytes.withUnsafeBytes { bytes -> DigestedToken? in
            guard let token = BearerToken(random: bytes) else { return nil }
            return DigestedToken(token)
        }
        return try #require(made)
    }

    private static func wish(_ name: String, _ grants: [String] = []) throws -> TokenWish {
        var wish = TokenWish(try PrincipalName(name))
        wish.grants = try grants.map { try Grant($0) }
        return wish
    }

    private static let remote = AccountsCaller(name: "ops", from: "192.0.2.1", isOwner: false)

    /// A server with the principal `ops`, who administers it.
    private static func server() throws -> AccountsTable {
        var table = AccountsTable()
        _ = try table.carryOut(
            .createToken(try wish("ops", ["admin */*"]), try token(0)), as: remote, at: 0)
        return table
    }

    @Test func `a first principal who can't administer takes force`() throws {
        var table = AccountsTable()
        let command = AccountsCommand.createToken(
            try Self.wish("shop", ["read order/*"]), try Self.token(1))
        #expect(throws: AccountsRefusal.self) {
            try table.carryOut(command, as: Self.remote, at: 0)
        }
        #expect(throws: AccountsRefusal.self) {
            try table.carryOut(command, as: .offline, at: 0)
        }
        #expect(table.isOpen)
        var forced = AccountsCaller.offline
        forced.force = true
        let outcome = try table.carryOut(command, as: forced, at: 0)
        #expect(outcome.rows.count == 3)
        #expect(outcome.token?.expires == TokenEnd.standardMilliseconds)
        #expect(!table.isOpen)
    }

    @Test func `the last administrator is taken away by force only`() throws {
        var table = try Self.server()
        let command = AccountsCommand.revoke(try PrincipalName("ops"))
        for caller in [Self.remote, .offline] {
            #expect(throws: AccountsRefusal.self) {
                try table.carryOut(command, as: caller, at: 0)
            }
        }
        var forced = Self.remote
        forced.force = true
        let outcome = try table.carryOut(command, as: forced, at: 0)
        #expect(outcome.lines == ["- principal ops (grants: 1, tokens: 1)"])
        #expect(!table.isOpen)
        #expect(table.tokens.isEmpty)
    }

    @Test func `a repeat changes nothing and leaves no line in the audit`() throws {
        var table = try Self.server()
        var edit = PrincipalEdit(try PrincipalName("shop"))
        edit.addedGrants = [try Grant("read order/*")]
        #expect(try table.carryOut(.change(edit), as: Self.remote, at: 1).rows.count == 2)
        let audit = table.audit
        #expect(try table.carryOut(.change(edit), as: Self.remote, at: 2).rows.isEmpty)
        #expect(table.audit == audit)
        edit.isNew = true
        #expect(throws: AccountsRefusal.alreadyExists(edit.principal)) {
            try table.carryOut(.change(edit), as: Self.remote, at: 2)
        }
    }

    @Test func `a trial shows the difference and changes nothing`() throws {
        var table = try Self.server()
        var trial = Self.remote
        trial.isTrial = true
        let edit = PrincipalEdit(try PrincipalName("shop"))
        let outcome = try table.carryOut(.change(edit), as: trial, at: 0)
        #expect(outcome.rows.isEmpty && outcome.lines == ["+ principal shop"])
        #expect(table[edit.principal] == nil)
    }

    @Test func `a rotated token holds for the overlap`() throws {
        var table = try Self.server()
        let former = try Self.token(0)
        let made = try Self.token(2)
        let command = AccountsCommand.rotateToken(former.id, overlap: 1_000, .never, made)
        let outcome = try table.carryOut(command, as: Self.remote, at: Self.day)
        #expect(outcome.token?.expires == nil)
        #expect(table.token(former.id, former.digest, at: Self.day + 999) != nil)
        #expect(table.token(former.id, former.digest, at: Self.day + 1_000) == nil)
        #expect(table.token(made.id, made.digest, at: .max) != nil)
        // The hash of another token is none of this one.
        #expect(table.token(made.id, former.digest, at: 0) == nil)
    }

    @Test func `a principal has at most eight tokens`() throws {
        var table = try Self.server()
        for number in 1..<UInt8(Account.tokensMax) {
            let command = AccountsCommand.createToken(
                try Self.wish("ops"), try Self.token(number))
            _ = try table.carryOut(command, as: Self.remote, at: 0)
        }
        let ninth = AccountsCommand.createToken(
            try Self.wish("ops"), try Self.token(UInt8(Account.tokensMax)))
        #expect(throws: AccountsRefusal.self) {
            try table.carryOut(ninth, as: Self.remote, at: 0)
        }
    }

    @Test func `a principal with many changes is one row`() throws {
        var table = try Self.server()
        var edit = PrincipalEdit(try PrincipalName("shop"))
        edit.addedGrants = try (0..<20).map { try Grant("read order/\($0)") }
        edit.addedIdentities = [try Identity("uid:1000")]
        edit.quotas = [.connections: 3]
        let outcome = try table.carryOut(.change(edit), as: Self.remote, at: 1)
        #expect(outcome.rows.count == 2 && outcome.lines.count == 23)
        guard case .principal(let stored)? = outcome.rows.first else {
            Issue.record("the first row is no principal's")
            return
        }
        #expect(stored.account.grants.count == 20 && stored == table[edit.principal])
    }

    @Test func `who only loses something isn't created`() throws {
        var table = try Self.server()
        var edit = PrincipalEdit(try PrincipalName("ghost"))
        edit.removedGrants = [try Grant("read a/*")]
        edit.quotas = [.connections: nil]
        #expect(try table.carryOut(.change(edit), as: .offline, at: 1).lines.isEmpty)
        #expect(table[edit.principal] == nil)
        edit.addedGrants = [try Grant("read b/*")]
        #expect(try table.carryOut(.change(edit), as: .offline, at: 1).lines.count == 2)
    }

    @Test func `an entry of the audit keeps what has room, and counts the rest`() {
        let line = String(repeating: "x", count: 1_000)
        let many = [String](repeating: line, count: 2_000)
        let kept = AuditEntry.kept(many)
        #expect(kept.count < 300 && kept.last == "… and \(2_001 - kept.count) more lines")
        #expect(AuditEntry.kept([line, line]) == [line, line])
    }

    @Test func `tokens that have ended make room`() throws {
        var table = try Self.server()
        for number in 1..<UInt8(Account.tokensMax) {
            var wish = try Self.wish("ops")
            wish.end = .at(1_000)
            let command = AccountsCommand.createToken(wish, try Self.token(number))
            _ = try table.carryOut(command, as: Self.remote, at: 0)
        }
        let ninth = AccountsCommand.createToken(
            try Self.wish("ops"), try Self.token(UInt8(Account.tokensMax)))
        let outcome = try table.carryOut(ninth, as: Self.remote, at: 1_000)
        #expect(outcome.lines.count == 1 + Account.tokensMax)
        #expect(table.tokens.count == 2)
    }

    @Test func `each change is linked to the one before`() throws {
        var table = try Self.server()
        var entries = [try #require(table.audit)]
        for name in ["a", "b", "c"] {
            let edit = PrincipalEdit(try PrincipalName(name))
            _ = try table.carryOut(.change(edit), as: Self.remote, at: 5)
            entries.append(try #require(table.audit))
        }
        #expect(entries.map(\.number) == [1, 2, 3, 4])
        var hash = AuditEntry.noHash
        for entry in entries {
            #expect(entry.isLinked(to: hash))
            hash = entry.hash
        }
    }
}
