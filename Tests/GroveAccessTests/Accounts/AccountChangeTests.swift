import Testing

@testable import GroveAccess

@Suite("AccountChange")
struct AccountChangeTests {
    @Test func `each change has a line and a principal`() throws {
        let shop = try PrincipalName("shop")
        let id = try #require(TokenID("aaaaaaaa"))
        let named = TokenNote(id, label: "web", expires: InstantText("2027-01-01T00:00:00Z"))
        let changes: [(AccountChange, String)] = [
            (.addPrincipal(shop), "+ principal shop"),
            (.removePrincipal(Account(shop)), "- principal shop"),
            (.addIdentity(shop, try Identity("uid:1")), "+ identity uid:1"),
            (.removeIdentity(shop, try Identity("uid:1")), "- identity uid:1"),
            (.addGrant(shop, try Grant("read a/*")), "+ grant read a/*"),
            (.removeGrant(shop, try Grant("read a/*")), "- grant read a/*"),
            (
                .setQuota(shop, .eventsPerSecond, from: nil, to: 5),
                "~ quota events_per_s: standard (none) -> 5"
            ),
            (
                .setQuota(.anonymous, .connections, from: nil, to: 3),
                "~ quota connections: none -> 3"
            ),
            (
                .setQuota(.anonymous, .connections, from: 3, to: nil),
                "~ quota connections: 3 -> none"
            ),
            (.removeToken(shop, TokenNote(id)), "- token aaaaaaaa without an end"),
            (
                .setToken(shop, from: TokenNote(id), to: named),
                "~ token aaaaaaaa without an end -> aaaaaaaa 'web' until 2027-01-01T00:00:00.000Z"
            ),
        ]
        for (change, line) in changes {
            #expect(change.line == line)
            #expect([shop, .anonymous].contains(change.principal))
        }
    }
}

@Suite("AccountsProblem")
struct AccountsProblemTests {
    @Test func `an account's path is that of its JSON`() throws {
        #expect(AccountsProblem.path(to: try PrincipalName("a1")) == "$.principals.a1")
        #expect(AccountsProblem.path(to: try PrincipalName("a-1")) == "$.principals[\"a-1\"]")
        #expect(AccountsProblem("$.a", "b").description == "$.a: b")
    }
}
