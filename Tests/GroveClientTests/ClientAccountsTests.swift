import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// Accounts, tokens and the audit by calls of the client, at the real server.
@Suite("Client: accounts", .ownThreads, .timeLimit(.minutes(3)))
struct ClientAccountsTests {
    private let server: ServedFile
    private let owner: Client

    init() throws {
        server = try ServedFile(.unix(path: "/tmp/grove-\(UUID().uuidString.prefix(8)).sock"))
        owner = Client(options: ClientOptions(server: server.address))
    }

    private func client(_ token: ClientToken) -> Client {
        var options = ClientOptions(server: server.address, token: token)
        options.retry = .never
        return Client(options: options)
    }

    @Test func `the owner makes principals, and sees them`() async throws {
        let made: NewToken = try await owner.createToken(
            for: "ops", label: "first", expires: .never, grants: ["admin */*"])
        #expect(made.principal == "ops" && made.expires == nil)
        #expect(made.token.text.contains(made.id))
        #expect(!"\(made)".contains(made.token.text))

        var change = PrincipalChange("shop")
        change.isNew = true
        change.addedGrants = ["send(place,pay) order/*", "read order/*"]
        change.addedIdentities = ["cert:dns:shop.example"]
        change.quotas = ["connections": 7]
        let changed: AccountsReply = try await owner.changeAccount(change)
        #expect(changed.changes.first == "+ principal shop")
        #expect(await failure { try await owner.changeAccount(change) }?.code == "ALREADY_EXISTS")

        let page = try await owner.accounts(limit: 1)
        #expect(page.items.map(\.name) == ["ops"] && page.next == "ops")
        var all: [PrincipalSummary] = []
        for try await account in owner.allAccounts(pageSize: 1) { all.append(account) }
        #expect(all.map(\.name) == ["ops", "shop"])
        #expect(all[1].quotas == ["connections": 7])
        #expect(all[1].identities == ["cert:dns:shop.example"])
        let token: TokenSummary = try #require(all[0].tokens.first)
        #expect(token.id == made.id && token.label == "first" && token.expires == nil)
        await owner.close()
        #expect(server.stop() == 0)
    }

    @Test func `a token is used, rotated and revoked`() async throws {
        _ = try await owner.createToken(for: "ops", grants: ["admin */*"])
        let expiry = TokenExpiry.at("2099-01-01T00:00:00.000Z")
        let first = try await owner.createToken(
            for: "shop", expires: expiry, grants: ["send,read counter/*"])
        #expect(first.expires == "2099-01-01T00:00:00.000Z")
        let shop = client(first.token)
        #expect(try await shop.send(to: "counter/a", event: "increment").version == 1)
        #expect(await failure { try await shop.delete("counter/a") }?.code == "FORBIDDEN")

        let second = try await owner.rotateToken(first.id, overlap: .seconds(3_600))
        #expect(try await shop.auth(second.token).principal == "shop")
        #expect(try await shop.send(to: "counter/a", event: "increment").version == 2)
        try await owner.revokeToken(first.id)
        #expect(try await shop.send(to: "counter/a", event: "increment").version == 3)
        try await owner.revokeToken(second.id)
        // The first call may have been on its way when the connection was closed.
        #expect(await failure { try await shop.get("counter/a") } != nil)
        let refused = await failure { try await shop.send(to: "counter/a", event: "increment") }
        #expect(refused?.isTokenRefused == true, "\(String(describing: refused))")
        #expect(try await owner.get("counter/a").version == 3)
        await shop.close()
        await owner.close()
        #expect(server.stop() == 0)
    }

    @Test func `a trial changes nothing, and the last administrator needs force`() async throws {
        _ = try await owner.createToken(for: "ops", grants: ["admin */*"])
        let trial = AccountsMode(isTrial: true)
        let forced = AccountsMode(force: true, isTrial: true)
        let would = try await owner.revokeAccount("ops", mode: forced)
        #expect(would.changes.count == 1)
        #expect(await failure { try await owner.revokeAccount("ops", mode: trial) } != nil)
        let document: JSONValue = [
            "accounts": 1,
            "principals": ["ops": ["grants": ["admin */*"], "identities": ["uid:1"]]],
        ]
        #expect(try await owner.applyAccounts(document, mode: trial).changes.isEmpty == false)
        #expect(try await owner.accounts().items.first?.identities == [])
        try await owner.applyAccounts(document)
        #expect(try await owner.accounts().items.first?.identities == ["uid:1"])
        #expect(await failure { try await owner.revokeAllTokens() } == nil)
        await owner.close()
        #expect(server.stop() == 0)
    }

    @Test func `the audit has each change with its author`() async throws {
        let made = try await owner.createToken(
            for: "ops", grants: ["admin */*", "read counter/*"])
        let ops = client(made.token)
        try await ops.changeAccount(PrincipalChange("shop"))
        let page: Page<AuditItem, Int64> = try await owner.audit(limit: 1)
        #expect(page.items.map(\.by) == ["owner"] && page.next == 1)
        var entries: [AuditItem] = []
        for try await entry in ops.allAudit(pageSize: 1) { entries.append(entry) }
        #expect(entries.map(\.number) == [1, 2] && entries.map(\.by) == ["owner", "ops"])
        #expect(entries[1].changes == ["+ principal shop"] && entries[1].from == "unix")
        #expect(entries.allSatisfy { $0.hash.count == 64 })
        #expect(entries.allSatisfy { !"\($0.changes)".contains(made.token.text) })
        await ops.close()
        await owner.close()
        #expect(server.stop() == 0)
    }
}
