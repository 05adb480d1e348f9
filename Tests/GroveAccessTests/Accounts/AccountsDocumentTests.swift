import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AccountsDocument")
struct AccountsDocumentTests {
    private func document(_ text: String) throws -> AccountsDocument {
        try AccountsDocument(parsing: Array(text.utf8))
    }

    private func problems(_ text: String) -> [String] {
        do throws(AccountsProblems) {
            _ = try AccountsDocument(parsing: Array(text.utf8))
            return []
        } catch {
            return error.listed.map(\.description)
        }
    }

    private static let example = """
        {"accounts":1,"principals":{"anonymous":{"grants":["read status/*"]},\
        "shop":{"identities":["cert:dns:shop.example.org","uid:1000"],\
        "grants":["read,subscribe order/*","send(pay,place) order/*"],\
        "quotas":{"connections":16,"events_per_s":500},\
        "tokens":[{"id":"k3v7qzt2","label":"web","made":"2026-11-21T02:20:00.000Z",\
        "expires":"2027-02-19T02:20:00.000Z","last_used":"2026-11-25"}]}}}
        """

    @Test func `a document is written as it was read`() throws {
        let document = try document(Self.example)
        #expect(String(decoding: document.serialized(), as: UTF8.self) == Self.example)
        let shop = try #require(document[try PrincipalName("shop")])
        #expect(shop.identities.map(\.text) == ["cert:dns:shop.example.org", "uid:1000"])
        #expect(shop.grants.count == 2)
        #expect(shop.quotas == [.connections: 16, .eventsPerSecond: 500])
        #expect(shop.tokens?.first?.label == "web")
        #expect(shop.verbs == VerbSet([.send, .read, .subscribe]))
        #expect(document[.anonymous]?.tokens == nil)
        #expect(document[try PrincipalName("web")] == nil)
    }

    @Test func `an empty document and an empty account`() throws {
        let empty = try document(#"{"accounts":1,"principals":{}}"#)
        #expect(empty == AccountsDocument())
        let account = try document(#"{"accounts":1,"principals":{"a":{}}}"#)
        #expect(account.accounts == [Account(try PrincipalName("a"))])
    }

    @Test(
        arguments: [
            ("[]", "$: a document is an object"), ("{", "$: this is no JSON: "),
            ("{\"accounts\":1}", "$: principals is missing"),
            ("{\"principals\":{}}", "$: accounts is 1, the form's version"),
            ("{\"accounts\":2,\"principals\":{}}", "$.accounts: accounts is 1"),
            ("{\"accounts\":\"1\",\"principals\":{}}", "$.accounts: accounts is 1"),
            ("{\"accounts\":1,\"principals\":[]}", "$.principals: principals is an object"),
            (
                "{\"accounts\":1,\"principals\":{},\"x\":1}",
                "$.x: no such member; there are accounts, principals"
            ),
        ])
    func `a document of another form is refused`(text: String, expected: String) {
        #expect(problems(text).contains { $0.hasPrefix(expected) }, "\(problems(text))")
    }

    @Test(
        arguments: [
            ("\"Shop\":{}", "$.principals.Shop: a principal's name begins with a small letter"),
            ("\"owner\":{}", "$.principals.owner: owner has every verb and no account"),
            ("\"a\":[]", "$.principals.a: an account is an object"),
            ("\"a\":{\"grant\":[]}", "$.principals.a.grant: no such member; there are identities"),
            ("\"a-1\":{\"grants\":{}}", "$.principals[\"a-1\"].grants: grants is a list"),
            ("\"a\":{\"grants\":[\"read a/*\",1]}", "$.principals.a.grants[1]: a grant is a"),
            (
                "\"a\":{\"grants\":[\"reed a/*\"]}",
                "$.principals.a.grants[0]: 'reed' is no verb: write one of send, read, subscribe, "
                    + "manage, define, admin (byte 0)"
            ),
            ("\"a\":{\"grants\":[\"read a/*\",\"read a/**\"]}", "$.principals.a.grants[1]: this"),
            ("\"a\":{\"identities\":[\"uid:x\"]}", "$.principals.a.identities[0]: uid: is"),
            ("\"a\":{\"identities\":[1]}", "$.principals.a.identities[0]: an identity is a"),
            (
                "\"a\":{\"identities\":[\"uid:1\"]},\"b\":{\"identities\":[\"uid:1\"]}",
                "$.principals.b.identities[0]: this identity is a's already"
            ),
            ("\"anonymous\":{\"identities\":[\"uid:1\"]}", "$.principals.anonymous.identities[0]"),
            ("\"anonymous\":{\"tokens\":[{}]}", "$.principals.anonymous.tokens[0]: anonymous is"),
            ("\"a\":{\"quotas\":[]}", "$.principals.a.quotas: quotas is an object"),
            ("\"a\":{\"quotas\":{\"x\":1}}", "$.principals.a.quotas.x: no such member; there are"),
            ("\"a\":{\"quotas\":{\"requests\":0}}", "$.principals.a.quotas.requests: requests is"),
            ("\"a\":{\"quotas\":{\"requests\":1.5}}", "$.principals.a.quotas.requests: requests"),
            ("\"a\":{\"quotas\":{\"requests\":1000000001}}", "$.principals.a.quotas.requests: re"),
            ("\"a\":{\"tokens\":[1]}", "$.principals.a.tokens[0]: a token is an object"),
            ("\"a\":{\"tokens\":[{}]}", "$.principals.a.tokens[0]: a token is an object"),
            ("\"a\":{\"tokens\":[{\"id\":\"x\"}]}", "$.principals.a.tokens[0].id: an id has 8"),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\",\"hash\":\"\"}]}",
                "$.principals.a.tokens[0].hash: no such member"
            ),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\"},{\"id\":\"aaaaaaaa\"}]}",
                "$.principals.a.tokens[1].id: this token is a's already"
            ),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\",\"label\":\"\\u001b[2J\"}]}",
                "$.principals.a.tokens[0].label: a label is a string"
            ),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\",\"label\":null}]}",
                "$.principals.a.tokens[0].label: a label is a string"
            ),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\",\"expires\":\"soon\"}]}",
                "$.principals.a.tokens[0].expires: expires is a time"
            ),
            (
                "\"a\":{\"tokens\":[{\"id\":\"aaaaaaaa\",\"last_used\":\"2026-02-30\"}]}",
                "$.principals.a.tokens[0].last_used: last_used is a day"
            ),
        ])
    func `a wrong account is refused at its path`(account: String, expected: String) {
        let found = problems("{\"accounts\":1,\"principals\":{\(account)}}")
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test func `all problems are named at once, up to a bound`() {
        let text = """
            {"accounts":2,"principals":{\
            "a":{"grants":["x","read a/*","y"],"quotas":{"requests":0}},\
            "B":{}}}
            """
        #expect(problems(text).count == 5)
        let many = (0..<64).map { _ in "\"x\"" }.joined(separator: ",")
        let accounts = ["a", "b", "c"].map { "\"\($0)\":{\"grants\":[\(many)]}" }
        do throws(AccountsProblems) {
            _ = try AccountsDocument(
                parsing: Array(
                    "{\"accounts\":1,\"principals\":{\(accounts.joined(separator: ","))}}".utf8))
            Issue.record("three times 64 wrong grants were read")
        } catch {
            #expect(error.listed.count == 100)
            #expect(error.others == 92)
            #expect(error.description.hasSuffix("and 92 more"))
        }
    }

    @Test func `lists have bounds`() {
        func account(_ member: String, _ count: Int, _ item: (Int) -> String) -> String {
            let items = (0..<count).map(item).joined(separator: ",")
            return "{\"accounts\":1,\"principals\":{\"a\":{\"\(member)\":[\(items)]}}}"
        }
        func letter(_ number: Int) -> String { String("abcdefghi".dropFirst(number).prefix(1)) }
        let lists: [(String, Int, (Int) -> String)] = [
            ("grants", 64, { "\"read a/\($0)\"" }), ("identities", 64, { "\"uid:\($0)\"" }),
            ("tokens", 8, { "{\"id\":\"aaaaaaa\(letter($0))\"}" }),
        ]
        for (member, max, item) in lists {
            #expect(problems(account(member, max, item)) == [])
            #expect(
                problems(account(member, max + 1, item)) == [
                    "$.principals.a.\(member): a principal has at most \(max) \(member)"
                ])
        }
        let principals = (0..<10_001).map { "\"p\($0)\":{}" }
        #expect(
            problems(
                "{\"accounts\":1,\"principals\":{\(principals.dropLast().joined(separator: ","))}}")
                == [])
        #expect(
            problems("{\"accounts\":1,\"principals\":{\(principals.joined(separator: ","))}}")
                == ["$.principals: a server has at most 10000 principals"])
    }

    @Test func `administrators have the verb and a way to prove who they are`() throws {
        let text = """
            {"accounts":1,"principals":{"a":{"grants":["admin */*"]},\
            "b":{"grants":["read */*"],"identities":["uid:1"]},\
            "c":{"grants":["admin */*"],"identities":["uid:2"]},\
            "d":{"grants":["admin */*"],"tokens":[{"id":"aaaaaaaa"}]},\
            "e":{"grants":["admin */*"],\
            "tokens":[{"id":"bbbbbbbb","expires":"2026-11-26T10:00:00Z"}]}}}
            """
        let document = try document(text)
        func administrators(_ time: String) throws -> [String] {
            document.administrators(at: try #require(InstantText(time))).map(\.text)
        }
        #expect(try administrators("2026-11-26T09:59:59.999Z") == ["c", "d", "e"])
        #expect(try administrators("2026-11-26T10:00:00Z") == ["c", "d"])
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `random documents survive their text`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'survive their text'")
        var maker = AccountsMaker(seed: seed)
        for _ in 0..<10 {
            let document = try maker.document()
            #expect(try AccountsDocument(parsing: document.serialized()) == document)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `no text traps, and what is read survives its text`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'read survives its text'")
        var random = SeededRandom(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "*", "/", "0", "-1", "null", "admin", "uid:", "a",
        ].map { Array($0.utf8) }
        for _ in 0..<300 {
            var bytes = Array(Self.example.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let start = Int.random(in: bytes.indices, using: &random)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
                bytes.replaceSubrange(
                    start..<end, with: pieces[Int.random(in: pieces.indices, using: &random)])
            }
            switch Result(catching: { () throws(AccountsProblems) in
                try AccountsDocument(parsing: bytes)
            }) {
            case .success(let document):
                #expect(try AccountsDocument(parsing: document.serialized()) == document)
            case .failure(let problems):
                #expect(!problems.isEmpty && problems.listed.allSatisfy { $0.path.hasPrefix("$") })
            }
        }
    }
}
