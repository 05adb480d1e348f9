import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// SIGKILL at seeded moments while accounts change: each change is whole or absent, what was
/// acknowledged is there, and the audit has an entry for each, without a hole.
@Suite("SIGKILL while accounts change")
struct AccountKillTests {
    /// What the changes have come to, as far as they were acknowledged.
    private struct Progress {
        var token: String?
        /// The quota that was set last: each change sets the next one.
        var quota = 0
        /// Tokens that were revoked.
        var revoked: [String] = []
    }

    private static func ask(_ client: LineClient, _ line: String) throws -> JSONValue {
        try client.send(line)
        return try JSONValue(parsing: Array(client.readLine().utf8))
    }

    /// A connection of the administrator, who is made if there is none.
    private func administrator(port: UInt16, _ progress: inout Progress) throws -> LineClient {
        let client = try LineClient(port: port)
        if let token = progress.token {
            let answer = try Self.ask(client, #"{"op":"auth","id":1,"token":"\#(token)"}"#)
            #expect(answer["ok"] == true, "\(answer)")
            return client
        }
        let made = try Self.ask(
            client,
            """
            {"op":"token","id":1,"action":"create","principal":"ops",\
            "grants":["admin */*","send,read,manage counter/*"]}
            """)
        progress.token = try #require(made["token"]?.string, "\(made)")
        let again = try LineClient(port: port)
        _ = try Self.ask(again, #"{"op":"auth","id":1,"token":"\#(progress.token ?? "")"}"#)
        return again
    }

    /// Changes accounts until the connection ends.
    private func change(_ client: LineClient, _ progress: inout Progress) {
        do {
            while true {
                let next = progress.quota + 1
                let changed = try Self.ask(
                    client,
                    """
                    {"op":"accounts","id":2,"action":"change","principal":"shop",\
                    "quotas":{"connections":\(next)},"add":{"grants":["read counter/n\(next % 7)"]}}
                    """)
                #expect(changed["ok"] == true, "\(changed)")
                progress.quota = next
                let made = try Self.ask(
                    client, #"{"op":"token","id":3,"action":"create","principal":"shop"}"#)
                guard let token = made["token"]?.string, let id = made["token_id"]?.string else {
                    Issue.record("\(made)")
                    return
                }
                let revoked = try Self.ask(
                    client, #"{"op":"token","id":4,"action":"revoke","token_id":"\#(id)"}"#)
                if revoked["ok"] == true { progress.revoked.append(token) }
            }
        } catch {
            // The server was killed, as planned.
        }
    }

    /// Compares what is stored with what was acknowledged.
    private func check(_ client: LineClient, port: UInt16, _ progress: inout Progress) throws {
        let page = try Self.ask(client, #"{"op":"accounts","id":5}"#)
        let shop = page["items"]?.array?.first { $0["name"] == "shop" }
        let stored = Int(shop?["quotas"]?["connections"]?.integer ?? 0)
        #expect(stored == progress.quota || stored == progress.quota + 1)
        // Half a change would have one without the other.
        if stored > 0 {
            let grants = shop?["grants"]?.array ?? []
            #expect(grants.contains { $0.string == "read counter/n\(stored % 7)" })
        }
        progress.quota = stored
        // At most the one that was being made.
        for token in shop?["tokens"]?.array ?? [] {
            _ = try Self.ask(
                client,
                """
                {"op":"token","id":6,"action":"revoke","token_id":"\(token["id"]?.string ?? "")"}
                """)
        }
        if let token = progress.revoked.last {
            let stranger = try LineClient(port: port)
            let answer = try Self.ask(stranger, #"{"op":"auth","id":1,"token":"\#(token)"}"#)
            #expect(answer["error"]?["code"] == "UNAUTHENTICATED", "a revoked token came back")
        }
        var (number, quotas) = (Int64(0), 0)
        while true {
            let page = try Self.ask(
                client, #"{"op":"audit","id":7,"after":\#(number),"limit":1000}"#)
            for entry in page["items"]?.array ?? [] {
                number += 1
                #expect(entry["n"]?.integer == number, "a hole in the audit")
                let text = "\(entry["changes"] ?? .null)"
                if text.contains("quota connections") { quotas += 1 }
            }
            guard page["next"]?.integer != nil else { break }
        }
        #expect(quotas == stored, "each change has its entry")
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1, 2] as [UInt64])
    func `each change is whole or absent after eight kills`(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let data = folder.path("accounts.db")
        var random = SeededRandom(seed: seed)
        var progress = Progress()
        for _ in 1...8 {
            let server = try ServerProcess(data: data)
            let client = try administrator(port: server.port, &progress)
            try check(client, port: server.port, &progress)
            let delay = Int.random(in: 5...250, using: &random)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            change(client, &progress)
            _ = server.wait()
        }
        let server = try ServerProcess(data: data)
        try check(
            administrator(port: server.port, &progress), port: server.port, &progress)
        #expect(server.stop() == 0)
        #expect(progress.quota > 20, "too little happened between the kills to show anything")
        let checked = try Command.run(try GroveBinary.find().path, ["check-data", data])
        #expect(checked.status == 0, "\(checked.output)")
        print(
            "seed \(seed): \(progress.quota) changes and \(progress.revoked.count) revocations "
                + "over 8 kills, 0 lost")
    }
}
