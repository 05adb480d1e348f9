import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AccountsDifference")
struct AccountsDifferenceTests {
    private func document(_ principals: String) throws -> AccountsDocument {
        let text = "{\"accounts\":1,\"principals\":{\(principals)}}"
        return try AccountsDocument(parsing: Array(text.utf8))
    }

    private func lines(from present: String, to wanted: String) throws -> [String] {
        try AccountsDifference(from: document(present), to: document(wanted)).lines
    }

    @Test func `the same documents have no difference`() throws {
        let text = #""a":{"grants":["read a/*"],"tokens":[{"id":"aaaaaaaa"}]}"#
        #expect(try lines(from: text, to: text) == [])
        let used = text.replacing("aaaa\"", with: "aaaa\",\"last_used\":\"2026-11-21\"")
        #expect(try lines(from: used, to: text) == [])
        let silent = #""a":{"grants":["read a/*"]}"#
        #expect(try AccountsDifference(from: document(text), to: document(silent)).isEmpty)
    }

    @Test func `a difference is printed by principal`() throws {
        let present = #"""
            "old":{"grants":["read a/*"],"identities":["uid:9"],"tokens":[{"id":"oooooooo"}]},
            "web":{"grants":["read */*","send a/*"],"identities":["uid:1"],
              "quotas":{"connections":256,"requests":5},
              "tokens":[{"id":"aaaaaaaa","label":"ci"},{"id":"bbbbbbbb"}]},
            "same":{"grants":["read a/*"]}
            """#
        let wanted = #"""
            "new":{"grants":["send(x) a/*"],"identities":["uid:1"],"quotas":{"requests":7}},
            "web":{"grants":["read a/*","send a/*"],"identities":["uid:2"],
              "quotas":{"connections":128},
              "tokens":[{"id":"bbbbbbbb","label":"web","expires":"2027-01-01T00:00:00Z"}]},
            "same":{"grants":["read a/*"]},"bare":{}
            """#
        #expect(
            try lines(from: present, to: wanted) == [
                "+ principal bare",
                "+ principal new",
                "    + identity uid:1",
                "    + grant send(x) a/*",
                "    ~ quota requests: standard (4096) -> 7",
                "- principal old (identities: 1, grants: 1, tokens: 1)",
                "~ principal web",
                "    - identity uid:1",
                "    - grant read */*",
                "    - token aaaaaaaa 'ci' without an end",
                "    + identity uid:2",
                "    + grant read a/*",
                "    ~ quota connections: 256 -> 128",
                "    ~ quota requests: 5 -> standard (4096)",
                "    ~ token bbbbbbbb without an end -> bbbbbbbb 'web' until "
                    + "2027-01-01T00:00:00.000Z",
            ])
    }

    @Test func `a document can't make a token`() throws {
        let present = try document(#""a-1":{"tokens":[{"id":"aaaaaaaa"}]}"#)
        let wanted = try document(
            #""a-1":{"tokens":[{"id":"aaaaaaaa"},{"id":"bbbbbbbb"}]},"#
                + #""b":{"tokens":[{"id":"cccccccc"}]}"#)
        do throws(AccountsProblems) {
            _ = try AccountsDifference(from: present, to: wanted)
            Issue.record("tokens were made")
        } catch {
            let advice =
                ", and a document can't make one: leave out tokens, and make one with "
                + "'grove token create'"
            #expect(
                error.listed.map(\.description) == [
                    "$.principals[\"a-1\"].tokens: a-1 has no token bbbbbbbb" + advice,
                    "$.principals.b.tokens: b has no token cccccccc" + advice,
                ])
        }
    }

    @Test func `a change that doesn't fit refuses all`() throws {
        let present = try document(#""a":{"grants":["read a/*"]},"b":{"grants":["read b/*"]}"#)
        let wanted = try document(#""a":{"grants":["read c/*"]}"#)
        let difference = try AccountsDifference(from: present, to: wanted)
        let meanwhile = try document(#""a":{"grants":["read a/*"]},"b":{}"#)
        do throws(AccountsConflictError) {
            _ = try difference.applied(to: meanwhile)
            Issue.record("it was applied")
        } catch {
            #expect(error.change.principal.text == "b")
            #expect(
                error.description
                    == "the accounts have changed meanwhile: '- principal b (grants: 1)' of b "
                    + "doesn't fit; compare again")
        }
        for other in [
            #""a":{}"#, #""b":{"grants":["read b/*"]}"#,
            #""a":{"grants":["read a/*","read c/*"]},"b":{"grants":["read b/*"]}"#,
        ] {
            #expect(throws: AccountsConflictError.self) {
                try difference.applied(to: document(other))
            }
        }
    }

    /// A document as it is after applying: what it leaves open is as it was.
    private func filled(
        _ wanted: AccountsDocument, from present: AccountsDocument
    ) -> AccountsDocument {
        AccountsDocument(
            wanted.accounts.map { account in
                var account = account
                if account.tokens == nil, account.name != .anonymous {
                    account.setTokens(present[account.name]?.tokens ?? [])
                }
                return account
            })
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `applying the difference makes the wanted document`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'makes the wanted document'")
        var maker = AccountsMaker(seed: seed)
        for _ in 0..<20 {
            let present = try maker.document()
            let tokens = Dictionary(
                uniqueKeysWithValues: present.accounts.map { ($0.name, $0.tokens ?? []) })
            // New principals have no tokens that a document could name.
            var wanted = try maker.document(tokens: tokens)
            wanted = AccountsDocument(
                wanted.accounts.map { account in
                    var account = account
                    if present[account.name] == nil, account.tokens != nil { account.setTokens([]) }
                    return account
                })
            let difference = try AccountsDifference(from: present, to: wanted)
            let result = try difference.applied(to: present)
            #expect(result == filled(wanted, from: present))
            #expect(try AccountsDifference(from: result, to: wanted).isEmpty)
            #expect(difference.isEmpty == difference.lines.isEmpty)
        }
    }
}
