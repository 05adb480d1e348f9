import Foundation
import GroveAccess
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveStorage
import GroveTestSupport
import Logging
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// Accounts in a whole server, with real sockets, clocks and a file.
    @Suite("Accounts in a server", .timeLimit(.minutes(3)))
    struct AccountsInServerTests {
        private let folder: TemporaryFolder
        private let log = KeptLog()

        init() throws { folder = try TemporaryFolder() }

        /// Runs `body` with a server that has a Unix socket, too, and a client of its owner.
        private func withServer(
            _ change: (inout ServerOptions) -> Void = { _ in },
            _ body: (RunningServer, RawClient) async throws -> Void
        ) async throws {
            let (socket, data) = (folder.path("s"), folder.path("grove.db"))
            try await RunningServer.with(
                {
                    $0.listen.append(.unix(path: socket))
                    $0.store = .file(data)
                    change(&$0)
                }, log: log.logger(level: .trace)
            ) { running in
                try await body(running, RawClient(.unix(path: socket)))
            }
        }

        /// Makes a token of a principal.
        private func token(
            _ owner: RawClient, _ name: String, _ grants: [String], quotas: String? = nil
        ) throws -> String {
            let list = JSONValue.array(grants.map { .string($0) })
            let made = try owner.ask(
                """
                {"op":"token","id":1,"action":"create","principal":"\(name)",\
                "grants":\(list),"force":true}
                """)
            if let quotas {
                _ = try owner.ask(
                    """
                    {"op":"accounts","id":2,"action":"change","principal":"\(name)",\
                    "quotas":\(quotas),"force":true}
                    """)
            }
            return try #require(try made.json("token")?.string, "\(made)")
        }

        private func auth(_ client: RawClient, _ token: String) throws {
            let answer = try client.ask(#"{"op":"auth","id":0,"token":"\#(token)"}"#)
            #expect(answer.contains(#""ok":true"#), "\(answer)")
        }

        @Test func `pages of accounts and of the audit end early, and the next one continues`()
            async throws
        {
            try await withServer { _, owner in
                let grants = (0..<24).map { #""read machine-\#($0)/instances-of-a-long-name-*""# }
                let names = (0..<120).map { "principal-\(100 + $0)" }
                for name in names {
                    let answer = try owner.ask(
                        """
                        {"op":"accounts","id":1,"action":"change","principal":"\(name)",\
                        "add":{"grants":[\(grants.joined(separator: ","))]},"force":true}
                        """)
                    #expect(answer.contains(#""ok":true"#))
                }
                for op in ["accounts", "audit"] {
                    var items: [JSONValue] = []
                    var (pages, after) = (0, "")
                    repeat {
                        let page = try owner.ask(
                            #"{"op":"\#(op)","id":2,"limit":1000\#(after)}"#)
                        #expect(page.utf8.count < 2 * Limits.accountsPageBytesMax)
                        items += try page.json("items")?.array ?? []
                        after = try page.json("next").map { #","after":\#($0)"# } ?? ""
                        pages += 1
                    } while !after.isEmpty && pages < 100
                    #expect(pages > 1, "\(op)")
                    #expect(items.count == names.count, "\(op)")
                }
            }
        }

        // MARK: Canaries

        @Test func `a token is in its reply, and nowhere else`() async throws {
            var tokens: [String] = []
            var answers: [String] = []
            try await withServer { running, owner in
                tokens.append(try token(owner, "ops", ["admin */*", "send,read,subscribe */*"]))
                let client = try running.connect()
                try auth(client, tokens[0])
                let id = tokens[0].dropFirst(6).prefix(8)
                let rotated = try client.ask(
                    #"{"op":"token","id":2,"action":"rotate","token_id":"\#(id)"}"#)
                tokens.append(try #require(try rotated.json("token")?.string))
                // Whatever stands there by chance, another character.
                let last = tokens[0].dropLast(6).hasSuffix("0") ? "1" : "0"
                let wrong = tokens[0].dropLast(7) + last + tokens[0].suffix(6)
                let stranger = try running.connect()
                answers.append(try stranger.ask(#"{"op":"auth","id":1,"token":"\#(wrong)"}"#))
                answers.append(try stranger.ask(#"{"op":"auth","id":1,"token":["\#(tokens[0])"]}"#))
                for line in [
                    #"{"op":"accounts","id":3}"#, #"{"op":"audit","id":3}"#,
                    #"{"op":"stats","id":3}"#, #"{"op":"definitions","id":3}"#,
                    #"{"op":"send","id":3,"to":"counter/a","event":"increment"}"#,
                    #"{"op":"history","id":3,"to":"counter/a"}"#,
                    #"{"op":"auth","id":3,"token":"\#(tokens[1])"}"#,
                ] { answers.append(try client.ask(line)) }
                tokens.append(String(wrong))
            }
            let file = try Data(contentsOf: URL(filePath: folder.path("grove.db")))
            for token in tokens {
                // Its secret part: the public one is in lists and in the log.
                let secret = String(token.dropFirst(15).prefix(43))
                #expect(!answers.contains { $0.contains(secret) })
                #expect(log.lines(with: secret).isEmpty)
                #expect(file.range(of: Data(secret.utf8)) == nil)
            }
            #expect(!log.lines(with: "isn't right").isEmpty)
        }

        // MARK: Quotas

        @Test func `a spent rate stops reading, drops nothing, and ends`() async throws {
            try await withServer { running, owner in
                let token = try token(
                    owner, "shop", ["send,read */*"], quotas: #"{"events_per_s":20}"#)
                let (fast, other) = (try running.connect(), try running.connect())
                try auth(fast, token)
                try auth(other, token)
                let begin = Clock.microseconds()
                let lines = (1...50).map {
                    #"{"op":"send","id":\#($0),"to":"counter/a","event":"increment"}"# + "\n"
                }
                try fast.send(lines.joined())
                for number in 1...50 {
                    #expect(try fast.line().contains(#""v":\#(number)"#))
                }
                // Twenty at once, and the others at the rate.
                #expect(Clock.microseconds() - begin >= 1_000_000)
                let shared = try other.ask(#"{"op":"get","id":1,"to":"counter/a"}"#)
                #expect(shared.contains(#""v":50"#))
            }
        }

        @Test func `another principal isn't held up`() async throws {
            try await withServer { running, owner in
                let slow = try token(owner, "slow", ["send */*"], quotas: #"{"bytes_per_s":10}"#)
                let quick = try token(owner, "quick", ["send */*"])
                let (one, two) = (try running.connect(), try running.connect())
                try auth(one, slow)
                try auth(two, quick)
                let line = #"{"op":"send","id":1,"to":"counter/a","event":"increment"}"# + "\n"
                try one.send(line + line + line)
                #expect(try one.line().contains(#""v":1"#))
                for number in 2...5 {
                    let answer = try two.ask(
                        #"{"op":"send","id":1,"to":"counter/a","event":"increment"}"#)
                    #expect(answer.contains(#""v":\#(number)"#))
                }
                // A larger quota lets it continue at once.
                _ = try owner.ask(
                    """
                    {"op":"accounts","id":2,"action":"change","principal":"slow",\
                    "quotas":{"bytes_per_s":null},"force":true}
                    """)
                #expect(try one.line().contains(#""v":6"#))
                #expect(try one.line().contains(#""v":7"#))
            }
        }

        @Test func `spent requests are read again as replies come`() async throws {
            try await withServer { running, owner in
                let token = try token(
                    owner, "shop", ["send,read */*"], quotas: #"{"requests":3}"#)
                let clients = try (0..<4).map { _ in try running.connect() }
                for client in clients { try auth(client, token) }
                for client in clients {
                    let lines = (1...40).map {
                        #"{"op":"send","id":\#($0),"to":"counter/a","event":"increment"}"# + "\n"
                    }
                    try client.send(lines.joined())
                }
                for client in clients {
                    for number in 1...40 {
                        #expect(try client.line().contains(#""id":\#(number),"ok":true"#))
                    }
                }
                let last = try clients[0].ask(#"{"op":"get","id":1,"to":"counter/a"}"#)
                #expect(last.contains(#""v":160"#))
            }
        }

        // MARK: Revocation

        /// What ``RevocationTests`` shows without sockets, with threads and a disk: a client that
        /// pipelines, while the owner takes its rights away.
        @Test(arguments: 0..<6)
        func `nothing is carried out once a revocation is acknowledged`(way: Int) async throws {
            try await withServer { running, owner in
                _ = try token(owner, "ops", ["admin */*"])
                let token = try token(owner, "shop", ["send counter/a"])
                let client = try running.connect()
                try auth(client, token)
                let descriptor = client.fd
                let sender = Task.detached {
                    let line = #"{"op":"send","id":1,"to":"counter/a","event":"increment"}"# + "\n"
                    let block = Array(String(repeating: line, count: 64).utf8)
                    // Until the connection is closed, or what it sends is refused.
                    for _ in 0..<40 { try RawClient.send(block, to: descriptor) }
                }
                while true {
                    let seen = try owner.ask(#"{"op":"get","id":9,"to":"counter/a"}"#)
                    if try seen.json("v")?.integer ?? 0 > Int64(20 * way) { break }
                }
                let id = token.dropFirst(6).prefix(8)
                let line =
                    switch way % 3 {
                    case 0: #"{"op":"token","id":1,"action":"revoke","token_id":"\#(id)"}"#
                    case 1: #"{"op":"accounts","id":1,"action":"revoke","principal":"shop"}"#
                    default:
                        #"{"op":"accounts","id":1,"action":"change","principal":"shop","#
                            + #""remove":{"grants":["send counter/a"]}}"#
                    }
                #expect(try owner.ask(line).contains(#""ok":true"#))
                let now = try owner.ask(#"{"op":"get","id":2,"to":"counter/a"}"#).json("v")
                // A failure to send is the end of its connection.
                _ = try? await sender.value
                // An event of the owner is behind everything that was on its way.
                let later = try owner.ask(
                    #"{"op":"send","id":3,"to":"counter/a","event":"increment"}"#
                ).json("v")
                #expect(later?.integer == (now?.integer ?? 0) + 1)
            }
        }

        // MARK: Before authentication

        @Test func `of clients that nobody knows the oldest goes, and the known ones stay`()
            async throws
        {
            try await withServer({ $0.limits.handshakesPerPeerMax = 4 }) { running, owner in
                let token = try token(owner, "ops", ["admin */*", "read */*"])
                let known = try running.connect()
                try auth(known, token)
                var unknown: [RawClient] = []
                for _ in 0..<12 { unknown.append(try running.connect()) }
                for client in unknown.prefix(8) { #expect(try client.reachesEnd()) }
                try auth(unknown[11], token)
                #expect(try known.ask(#"{"op":"ping","id":1}"#).contains(#""ok":true"#))
            }
        }

        @Test func `after many wrong tokens of an address the next one closes at once`()
            async throws
        {
            try await withServer { running, owner in
                let token = try token(owner, "ops", ["admin */*"])
                for _ in 0..<4 {
                    let client = try running.connect()
                    for _ in 0..<3 { try client.send(#"{"op":"auth","id":1,"token":"x"}"# + "\n") }
                    #expect(try client.reachesEnd())
                }
                let guesser = try running.connect()
                let answer = try guesser.ask(#"{"op":"auth","id":1,"token":"x"}"#)
                #expect(answer.contains("UNAUTHENTICATED"))
                #expect(try guesser.reachesEnd())
                // Nobody else of the address is locked out.
                try auth(running.connect(), token)
            }
        }

        @Test func `a token replaces another one on a connection with all that it has`()
            async throws
        {
            try await withServer { running, owner in
                _ = try token(owner, "ops", ["admin */*"])
                let first = try token(owner, "shop", ["read,subscribe counter/*"])
                _ = try owner.ask(#"{"op":"create","id":1,"to":"counter/a"}"#)
                let client = try running.connect()
                try auth(client, first)
                _ = try client.ask(
                    #"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["output"]}}"#)
                #expect(try client.line().contains(#""mark":"live""#))
                let id = first.dropFirst(6).prefix(8)
                let made = try owner.ask(
                    #"{"op":"token","id":2,"action":"rotate","token_id":"\#(id)"}"#)
                try auth(client, try #require(try made.json("token")?.string))
                try client.send(
                    #"{"op":"await","id":7,"to":"counter/a","until":"done","timeout_ms":60000}"#
                        + "\n")
                _ = try owner.ask(#"{"op":"token","id":3,"action":"revoke","token_id":"\#(id)"}"#)
                _ = try owner.ask(#"{"op":"send","id":4,"to":"counter/a","event":"increment"}"#)
                #expect(try client.line().contains(#""sub":"s""#))
            }
        }

        @Test func `reload over the wire takes admin, and says why it changes nothing`()
            async throws
        {
            try await withServer { running, owner in
                let token = try token(owner, "shop", ["send */*"])
                let shop = try running.connect()
                try auth(shop, token)
                #expect(try shop.ask(#"{"op":"reload","id":1}"#).contains("FORBIDDEN"))
                let answer = try owner.ask(#"{"op":"reload","id":1}"#)
                #expect(answer.contains("not reloaded: the configuration is compiled in"))
                #expect(ReloadOutcome.refused("x").reply.isFailure)
            }
        }
    }
}

extension Reply {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
