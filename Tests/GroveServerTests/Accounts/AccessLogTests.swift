import GroveAccess
import GroveNetwork
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("The log about access", .timeLimit(.minutes(1)))
    struct AccessLogTests {
        private let folder: TemporaryFolder
        private let log = KeptLog()

        init() throws { folder = try TemporaryFolder() }

        /// Runs `body` with a server, a client of its owner, and a token of the principal `shop`.
        private func withServer(
            _ body: (RunningServer, RawClient, String) async throws -> Void
        ) async throws {
            let socket = folder.path("s")
            try await RunningServer.with(
                { $0.listen.append(.unix(path: socket)) }, log: log.logger()
            ) { running in
                let owner = try RawClient(.unix(path: socket))
                let made = try owner.ask(
                    #"{"op":"token","id":1,"action":"create","principal":"shop","#
                        + #""grants":["send counter/*"],"force":true}"#)
                let token = try #require(try made.json("token")?.string, "\(made)")
                try await body(running, owner, token)
            }
        }

        /// The lines of a kind, once there are as many.
        private func lines(_ text: String, _ count: Int) async -> [String] {
            while log.lines(with: text).count < count, !Task.isCancelled { await Task.yield() }
            return log.lines(with: text)
        }

        @Test func `each wrong token has a line with the reason`() async throws {
            try await withServer { running, owner, token in
                let id = token.dropFirst(6).prefix(8)
                let foreign = "grove_7gnu3cjq_PWdkry5CJQXelsz6DKRYfmt076DKRYfmt07ELSZgnu12daWCr"
                let client = try running.connect()
                _ = try client.ask(#"{"op":"auth","id":1,"token":"grove_x"}"#)
                _ = try client.ask(#"{"op":"auth","id":2,"token":"\#(foreign)"}"#)
                _ = try owner.ask(#"{"op":"token","id":3,"action":"revoke","token_id":"\#(id)"}"#)
                _ = try client.ask(#"{"op":"auth","id":4,"token":"\#(token)"}"#)
                let said = await lines("a client showed a token that isn't right", 3)
                #expect(said.count == 3)
                #expect(said[0].contains("reason=malformed") && said[0].contains("not a token"))
                #expect(said[1].contains("reason=unknown or revoked"))
                #expect(said[1].contains("token=7gnu3cjq"))
                #expect(said[2].contains("reason=unknown or revoked"))
                #expect(said[2].contains("token=\(id)"))
                #expect(said.allSatisfy { $0.contains("warning") && $0.contains("peer=127.0.0.1") })
            }
        }

        @Test func `a refused request has a line without the instance`() async throws {
            try await withServer { running, _, token in
                let client = try running.connect()
                _ = try client.ask(#"{"op":"auth","id":1,"token":"\#(token)"}"#)
                let answer = try client.ask(
                    #"{"op":"send","id":2,"to":"order/canary","event":"canary"}"#)
                #expect(answer.contains("FORBIDDEN"))
                _ = try client.ask(#"{"op":"subscribe","id":3,"sub":"canary"}"#)
                let said = await lines("a request was refused", 2)
                #expect(said.count == 2)
                for (line, word) in zip(said, ["send", "subscribe"]) {
                    #expect(line.contains("op=\(word)") && line.contains("verb=\(word)"))
                    #expect(line.contains("principal=shop") && line.contains("peer=127.0.0.1"))
                }
                #expect(log.lines(with: "canary").isEmpty)
            }
        }

        @Test func `a client that shows no token has one line`() async throws {
            let line = "a client hasn't said who it is"
            try await withServer { running, _, _ in
                let client = try running.connect()
                let list = #"{"op":"list","id":1}"#
                #expect(try client.ask(list).contains("UNAUTHENTICATED"))
                #expect(try client.ask(list).contains("UNAUTHENTICATED"))
                let first = await lines(line, 1)
                #expect(first.count == 1)
                #expect(first[0].contains("warning") && first[0].contains("peer=127.0.0.1"))
                for _ in 0..<50 { _ = try running.connect().ask(list) }
            }
            #expect(said(line).lines + said(line).leftOut == 51)
        }

        @Test func `a client that says nothing has a line when its time is over`() async throws {
            try await withServer { running, _, _ in
                let silent = try running.connect()
                // Nobody else sends anything.
                #expect(await lines("a client hasn't said who it is", 1).count == 1)
                #expect(try silent.line().contains("no token came in time"))
            }
        }

        /// The lines of a kind, and the number of those that were left out.
        private func said(
            _ text: String = "a request was refused"
        ) -> (lines: Int, leftOut: Int) {
            let lines = log.lines(with: text)
            let leftOut = log.lines(with: "suppressed=").compactMap { line in
                line.split(separator: "suppressed=").last
                    .flatMap { Int($0.prefix(while: \.isNumber)) }
            }
            return (lines.count, leftOut.reduce(0, +))
        }

        /// Sends 500 requests that are refused.
        private func flood(_ running: RunningServer, _ token: String) throws {
            let client = try running.connect()
            _ = try client.ask(#"{"op":"auth","id":1,"token":"\#(token)"}"#)
            let line = #"{"op":"get","id":2,"to":"order/a"}"# + "\n"
            try client.send(String(repeating: line, count: 500))
            for _ in 0..<500 { #expect(try client.line().contains("FORBIDDEN")) }
        }

        @Test func `a stop writes the count of those that were left out`() async throws {
            try await withServer { running, _, token in try flood(running, token) }
            #expect(said().lines + said().leftOut == 500)
        }

        @Test func `of a flood there are ten lines in a second, and a count`() async throws {
            try await withServer { running, _, token in
                try flood(running, token)
                while said().lines + said().leftOut < 500, !Task.isCancelled {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(said().lines + said().leftOut == 500)
                // A busy machine takes some seconds for them.
                #expect(said().lines <= 100)
            }
        }
    }
}
