import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove serve --print-config`.
@Suite("The printed configuration", .ownThreads, .timeLimit(.minutes(2)))
struct PrintedConfigurationTests {
    /// Runs `grove serve --print-config` with these environment variables and flags.
    private func printed(
        _ flags: [String] = [], environment: [String] = []
    ) throws -> Command.Outcome {
        try Command.run(
            "env", environment + [try GroveBinary.find().path, "serve", "--print-config"] + flags)
    }

    @Test func `the configuration is printed with values, units and origins`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("g.json")
        try Data("{\n  \"max-line\": 5000\n}".utf8).write(to: URL(filePath: path))
        let outcome = try printed(
            [
                "--config", path, "--grace-ms", "7", "--listen", "127.0.0.1:1", "--listen",
                "[::1]:1",
            ],
            environment: ["GROVE_NODE=n", "GROVE_PORT=tcp://1.2.3.4:5"])
        #expect(outcome.status == 0)
        let rows = outcome.output.split(separator: "\n").map(String.init)
        func row(_ key: String) -> String? { rows.first { $0.hasPrefix(key + " ") } }
        func words(_ key: String) -> [Substring] { row(key)?.split(separator: " ") ?? [] }
        #expect(words("KEY") == ["KEY", "VALUE", "UNIT", "FROM"])
        #expect(words("max-line").prefix(3) == ["max-line", "5000", "bytes"])
        #expect(row("max-line")?.hasSuffix("g.json, line 2") == true)
        #expect(words("grace-ms") == ["grace-ms", "7", "milliseconds", "--grace-ms"])
        #expect(words("node") == ["node", "n", "GROVE_NODE"])
        #expect(words("listen") == ["listen", "127.0.0.1:1,[::1]:1", "--listen"])
        #expect(words("http-allow") == ["http-allow", "-", "default"])
        #expect(!FileManager.default.fileExists(atPath: "grove.db"))
    }

    @Test func `the printed JSON is an equal configuration file`() throws {
        let folder = try TemporaryFolder()
        let first = try printed(
            ["--json", "--http-allow", "a.example,b.example", "--insecure-plaintext"],
            environment: ["GROVE_MAX_LINE=5000"])
        #expect(first.status == 0)
        let object = try #require(try JSONValue(parsing: Array(first.output.utf8)).object)
        let line: JSONValue = [
            "value": 5000, "default": 1_048_576, "origin": "GROVE_MAX_LINE", "unit": "bytes",
            "reload": true,
            "reason": "The longest line. The default has room for a state of a megabyte.",
        ]
        #expect(object["max-line"] == line)
        #expect(object["http-allow"]?.object?["value"] == ["a.example", "b.example"])
        let path = folder.path("again.json")
        try Data(first.output.utf8).write(to: URL(filePath: path))
        let second = try printed(["--json", "--config", path])
        let again = try #require(try JSONValue(parsing: Array(second.output.utf8)).object)
        #expect(again.map(\.name) == object.map(\.name))
        for member in again {
            #expect(member.value.object?["value"] == object[member.name]?.object?["value"])
            let origin = member.value.object?["origin"]?.string
            #expect(origin?.hasPrefix(path) == true)
        }
    }

    @Test func `every key has a flag`() throws {
        let first = try printed(["--json"])
        let object = try #require(try JSONValue(parsing: Array(first.output.utf8)).object)
        let texts = [
            "node": "n", "http-allow": "a.example", "http-allow-private": "b.example",
            "keep-machines": "sensor:steps=1", "tls-certificate": "/c", "tls-key": "/k",
        ]
        let flags = object.flatMap { key -> [String] in
            let value = key.value.object?["value"] ?? .null
            guard value.bool == nil else { return ["--" + key.name] }
            let own = value.array?.compactMap(\.string).joined(separator: ",") ?? value.string
            return ["--" + key.name, texts[key.name] ?? own ?? value.description]
        }
        let second = try printed(["--json"] + flags)
        let again = try #require(try JSONValue(parsing: Array(second.output.utf8)).object)
        #expect(again.map { $0.value.object?["origin"]?.string } == object.map { "--" + $0.name })
    }

    @Test func `takes the file that GROVE_CONFIG names`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("g.json")
        try Data(#"{"node":"of-the-file"}"#.utf8).write(to: URL(filePath: path))
        let outcome = try printed(environment: ["GROVE_CONFIG=\(path)"])
        #expect(outcome.output.contains("of-the-file"))
    }

    @Test func `refuses what a start would refuse, each in a line`() throws {
        let outcome = try printed(
            ["--max-line", "1"], environment: ["GROVE_MAX_INFLIGHT=x", "GROVE_HTTP_ALOW=a"])
        #expect(outcome.status == 78)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        let all = "'grove serve --print-config' lists all keys"
        #expect(
            lines == [
                "error: max-line: must be an integer from 256 to 8388608 bytes, not \"1\" "
                    + "(--max-line)",
                "error: max-inflight: must be an integer from 1 to 65536 requests, not \"x\" "
                    + "(GROVE_MAX_INFLIGHT)",
                "error: GROVE_HTTP_ALOW: no key has this variable; did you mean GROVE_HTTP_ALLOW? "
                    + all,
            ])
    }

    @Test func `an unknown flag is reported with the nearest`() throws {
        let outcome = try printed(["--max-lines", "5000"])
        #expect(outcome.status == 64)
        #expect(outcome.output.contains("Unknown option '--max-lines'. Did you mean '--max-line'?"))
        #expect(try Command.run(try GroveBinary.find().path, ["serve", "--json"]).status == 64)
    }
}
