import Testing

@testable import GroveAccess

@Suite("Account")
struct AccountTests {
    @Test func `its lists are sorted and have each item once`() throws {
        var account = Account(try PrincipalName("shop"))
        for text in ["uid:2", "uid:1", "uid:2"] { account.insert(try Identity(text)) }
        #expect(account.identities.map(\.text) == ["uid:1", "uid:2"])
        for text in ["read b/*", "read a/*", "read b/**"] { account.insert(try Grant(text)) }
        #expect(account.grants.map(\.description) == ["read a/*", "read b/*"])
        let ids = ["bbbbbbbb", "aaaaaaaa", "bbbbbbbb"].compactMap(TokenID.init)
        account.setTokens(ids.map { TokenNote($0) })
        #expect(account.tokens?.map(\.id.text) == ["aaaaaaaa", "bbbbbbbb"])
        #expect(account.remove(try Identity("uid:1")))
        #expect(!account.remove(try Identity("uid:1")))
        #expect(account.remove(try Grant("read a/*")))
        #expect(!account.remove(try Grant("read a/*")))
    }

    @Test func `what only the server knows of a token makes no difference`() throws {
        let id = try #require(TokenID("aaaaaaaa"))
        var one = TokenNote(id, label: "a")
        var other = one
        other.made = InstantText("2026-11-21T02:20:00Z")
        other.lastUsed = DayText("2026-11-21")
        #expect(one.agrees(with: other))
        one.label = "b"
        #expect(!one.agrees(with: other))
    }

    @Test func `labels have bounds and no controls`() {
        #expect(TokenNote.isLabel("") && TokenNote.isLabel("web, north ❄"))
        #expect(TokenNote.isLabel(String(repeating: "x", count: 100)))
        #expect(!TokenNote.isLabel(String(repeating: "x", count: 101)))
        // Nothing that turns the direction of a line, or ends it.
        for text in ["\u{202E}x", "a\u{2028}b", "\u{2029}", "\u{200B}"] {
            #expect(!TokenNote.isLabel(text))
        }
        for text in ["\n", "\u{1B}", "\u{7F}", "\u{85}"] { #expect(!TokenNote.isLabel(text)) }
    }

    @Test func `quotas have standards`() {
        #expect(
            Quota.allCases.map { "\($0.rawValue) \($0.standard.map(String.init) ?? "off")" } == [
                "connections 256", "subscriptions 1024", "requests 4096", "events_per_s off",
                "bytes_per_s off",
            ])
    }
}
