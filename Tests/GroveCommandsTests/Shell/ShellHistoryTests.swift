import Foundation
import GroveTestSupport
import Testing

@testable import GroveCommands

@Suite("ShellHistory")
struct ShellHistoryTests {
    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `lines are kept for the next shell, in a file of this user alone`() throws {
        let folder = try TemporaryFolder()
        let history = ShellHistory(path: folder.path("state/grove/history"))
        #expect(history.load().isEmpty)
        history.add("get counter/a")
        history.add("send a '{\n  \"type\":\"go\"\n}'")
        #expect(history.load() == ["get counter/a", "send a '{   \"type\":\"go\" }'"])
        #expect(try mode(of: history.path) == 0o600)
        #expect(try mode(of: folder.path("state/grove")) == 0o700)
    }

    @Test func `a history that others could read is closed`() throws {
        let folder = try TemporaryFolder()
        let history = ShellHistory(path: folder.path("history"))
        try "get a\n".write(toFile: history.path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: history.path)
        history.add("get b")
        #expect(try mode(of: history.path) == 0o600)
        #expect(history.load() == ["get a", "get b"])
    }

    @Test func `the newest lines are read, and a file that has grown is cut`() throws {
        let folder = try TemporaryFolder()
        let history = ShellHistory(path: folder.path("history"))
        let count = 2 * ShellHistory.linesMax + 1
        let text = (1...count).map { "get counter/\($0)\n" }.joined()
        try text.write(toFile: history.path, atomically: true, encoding: .utf8)
        let lines = history.load()
        #expect(lines.count == ShellHistory.linesMax && lines.last == "get counter/\(count)")
        let left = try String(contentsOfFile: history.path, encoding: .utf8)
        #expect(left == lines.map { $0 + "\n" }.joined())
        let long = String(repeating: "x", count: ShellHistory.fileBytesMax)
        try (text + long + "\nlast\n").write(
            toFile: history.path, atomically: true, encoding: .utf8)
        #expect(history.load() == ["last"])
        #expect(try String(contentsOfFile: history.path, encoding: .utf8) == "last\n")
    }

    @Test(arguments: [
        "get counter/a", "token list", "token create alice", "principal show alice",
        "send order/o-1 '{\"type\":\"pay\",\"amount\":30}'", "list --token-file ~/.token",
        "send sign-in/s start", "watch 'order/*' --json",
        "send a '{\"type\":\"compass\",\"pins\":2}'", "list --server http://localhost:7480",
        "send task-test-1 start", "get user@example/a:b", "watch http://h/a:b@c",
    ])
    func `ordinary lines are kept`(line: String) { #expect(ShellHistory.mayKeep(line)) }

    @Test(arguments: [
        "", " get counter/a", "complete 17-3-e220a8397b1dcdaf6e789e6aa1b965f4 --result 1",
        "grove complete x --error no", "get 17-3-e220a8397b1dcdaf6e789e6aa1b965f4",
        "send a grove_abcdefgh_xyz", #"send a '{"type":"login","password":"x"}'"#,
        #"send a "{\"type\":\"login\",\"apiKey\":\"x\"}""#, "send a token=abc",
        "send a 'Secret: x'",
        "send a 'Authorization: Bearer x'", "send a 'bearer x'", #"send a '{"pin":"1234"}'"#,
        #"send a '{"key":"1234"}'"#, "send a '{\"pass\\\nword\":\"x\"}'", "send a tok\\\nen=abc",
        "get " + String(repeating: "x", count: 4_096),
        "send a '\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP\"'",
        "send a '\"-----BEGIN PRIVATE KEY-----\"'", "list --server http://alice:x@host:7480",
        "send a '\"sk_live_abc\"'", "send a '\"sk-ant-abc\"'", "send a '\"ghp_abc\"'",
        "send a '\"glpat-abc\"'", "send a '\"xoxb-1\"'", "send a '\"AKIAIOSFODNN7EXAMPLE\"'",
    ])
    func `lines that may hold a secret, and long ones, are not`(line: String) {
        #expect(!ShellHistory.mayKeep(line))
    }
}
