import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// The commands about accounts, at a server and beside a stopped one.
@Suite("grove: accounts", .ownThreads, .timeLimit(.minutes(3)))
struct ToolAccountsTests {
    private let folder: TemporaryFolder
    private var data: String { folder.path("grove.db") }

    init() throws { folder = try TemporaryFolder() }

    private func grove(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> Tool.Outcome {
        try await Tool.run(arguments, environment: environment)
    }

    /// A file of a token, for its user only.
    private func keep(_ token: String, _ name: String, mode: Int = 0o600) throws -> String {
        let path = folder.path(name)
        try Data((token + "\n").utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test func `the first token makes the data file, and lets its owner in`() async throws {
        let first = try await grove(
            "token", "create", "--data", data, "--principal", "ops", "--grant", "admin */*",
            "--grant", "read,send counter/*")
        #expect(first.code == 0, "\(first.notes)")
        #expect(first.lines.count == 1 && first.output.hasPrefix("grove_"))
        #expect(first.notes.contains("of ops ends") && !first.notes.contains(first.lines[0]))
        let file = try keep(first.lines[0], "ops.token")

        let served = try ServedFile(data: data)
        let nobody = try await grove("get", "counter/a", "--server", served.address.description)
        #expect(nobody.code != 0 && nobody.notes.contains("UNAUTHENTICATED"), "\(nobody.notes)")
        let sent = try await grove(
            "send", "counter/a", "increment", "--server", served.address.description,
            "--token-file", file)
        #expect(sent.code == 0, "\(sent.notes)")
        let variable = try await grove(
            "get", "counter/a", "--server", served.address.description,
            environment: ["GROVE_TOKEN": first.lines[0] + "\n"])
        #expect(variable.code == 0, "\(variable.notes)")
        let listed = try await grove(
            "token", "list", "--json", "--server", served.address.description, "--token-file", file)
        let item = try JSONValue(parsing: Array(listed.lines[0].utf8))
        #expect(item["principal"] == "ops" && item["token"] == nil)
        let beside = try await grove("token", "list", "--data", data)
        #expect(beside.code == 73 || beside.code == 75, "\(beside.code)")
        #expect(beside.notes.contains("--server"), "\(beside.notes)")
        #expect(served.stop() == 0)
    }

    @Test func `a file that others can read isn't used`() async throws {
        let served = try ServedFile()
        let file = try keep("grove_x", "open.token", mode: 0o644)
        let outcome = try await grove(
            "ping", "--server", served.address.description, "--token-file", file)
        #expect(outcome.code != 0)
        #expect(outcome.notes.contains("chmod 600"), "\(outcome.notes)")
    }

    @Test func `principals are changed beside a stopped server, and the audit shows it`()
        async throws
    {
        _ = try await grove(
            "token", "create", "--data", data, "--principal", "ops", "--grant", "admin */*")
        let steps: [[String]] = [
            ["principal", "create", "shop", "--grant", "read order/*", "--identity", "uid:1000"],
            ["principal", "grant", "shop", "send(place) order/*"],
            ["principal", "ungrant", "shop", "read order/*"],
            ["principal", "identify", "shop", "gid:7"],
            ["principal", "unidentify", "shop", "uid:1000"],
            ["principal", "quota", "shop", "connections=9"],
        ]
        for step in steps {
            let outcome = try await Tool.run(step + ["--data", data])
            #expect(outcome.code == 0, "\(step): \(outcome.notes)")
        }
        let shown = try await grove("principal", "show", "shop", "--data", data, "--json")
        let shop = try JSONValue(parsing: Array(shown.output.utf8))
        #expect(shop["grants"] == ["send(place) order/*"])
        #expect(shop["identities"] == ["gid:7"])
        #expect(shop["quotas"]?["connections"] == 9)
        let revoked = try await grove("principal", "revoke", "shop", "--data", data)
        #expect(revoked.code == 0)
        let audit = try await grove("audit", "--data", data, "--json")
        #expect(audit.lines.count == steps.count + 2, "\(audit.output)")
        let checked = try await grove("check-data", data)
        #expect(checked.code == 0, "\(checked.notes)\(checked.output)")
    }

    @Test func `accounts are exported, and applied as a whole`() async throws {
        _ = try await grove(
            "token", "create", "--data", data, "--principal", "ops", "--grant", "admin */*")
        let exported = try await grove("accounts", "export", "--data", data)
        #expect(exported.code == 0)
        let wanted = exported.output.replacing("admin */*\"", with: "admin */*\",\"read a/*\"")
        let file = folder.path("accounts.json")
        try Data(wanted.utf8).write(to: URL(filePath: file))
        let trial = try await grove("accounts", "apply", file, "--dry-run", "--data", data)
        #expect(trial.lines == ["~ principal ops", "    + grant read a/*"], "\(trial.notes)")
        #expect(try await grove("accounts", "export", "--data", data).output == exported.output)
        let applied = try await grove("accounts", "apply", file, "--data", data)
        #expect(applied.code == 0 && applied.lines == trial.lines)
        let wrong = wanted.replacing("read a/*", with: "raed a/*")
        try Data(wrong.utf8).write(to: URL(filePath: file))
        let refused = try await grove("accounts", "apply", file, "--data", data)
        #expect(refused.code != 0 && refused.notes.contains("raed"), "\(refused.notes)")
        #expect(refused.notes.contains("$.principals.ops.grants"), "\(refused.notes)")
        // A token that is gone can't come back from a document.
        _ = try await grove("token", "revoke", "--all", "--force", "--data", data)
        try Data(wanted.utf8).write(to: URL(filePath: file))
        let gone = try await grove("accounts", "apply", file, "--data", data)
        #expect(gone.code == 65 && gone.notes.contains("leave out tokens"), "\(gone)")
    }

    @Test func `all tokens of a restored file are revoked by force`() async throws {
        _ = try await grove(
            "token", "create", "--data", data, "--principal", "ops", "--grant", "admin */*")
        let mild = try await grove("token", "revoke", "--all", "--data", data)
        #expect(mild.code != 0 && mild.notes.contains("--force"), "\(mild.notes)")
        let forced = try await grove("token", "revoke", "--all", "--force", "--data", data)
        #expect(forced.code == 0, "\(forced.notes)")
        #expect(try await grove("token", "list", "--data", data, "--json").output == "")
        let both = try await grove("token", "revoke", "aaaaaaaa", "--all", "--data", data)
        #expect(both.code == 64, "\(both.code) \(both.notes)")
        // The way back in, beside the stopped server.
        let again = try await grove("token", "create", "--data", data, "--principal", "ops")
        #expect(again.code == 0, "\(again.notes)")
    }
}
