import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("grove", .ownThreads, .timeLimit(.minutes(3)))
struct ToolTests {
    @Test func `every command explains itself`() async throws {
        let commands = [
            "serve", "send", "get", "create", "list", "history", "watch", "stop", "delete",
            "batch", "can", "describe", "definitions", "ping", "health", "stats", "top",
            "bench", "version",
            "backup", "check-data", "export", "import", "shell", "completions",
        ]
        let root = try await Tool.run("--help")
        #expect(root.code == 0)
        for command in commands {
            #expect(root.output.contains("\n  \(command) "), "\(command) is not listed")
            let help = try await Tool.run(command, "--help")
            #expect(help.code == 0 && help.output.contains("OVERVIEW"), "\(command)")
        }
        #expect(try await Tool.run("version").output.hasPrefix("grove "))
    }

    @Test(arguments: [
        ["frobnicate"], ["send", "c/a"], ["send", "c/a", "two words"], ["send", "c/a", "{bad"],
        ["send", "c/a", "[1]"], ["send", "c/a", "go", "--expect", "-1"],
        ["send", "c/a", "go", "--reply", "everything"], ["list", "--limit", "0"],
        ["list", "--done", "--not-done"], ["watch", "--snapshot", "--from", "first"],
        ["watch", "--count", "0"], ["watch", "--kind", "noise"], ["bench", "--pipeline", "0"],
        ["bench", "--rate", "0"],
        ["bench", "--events", "1", "--duration", "1s"], ["get", "c/a", "--timeout", "soon"],
        ["get", "c/a", "--server", "::::"], ["create", "c/a", "--input", "{"],
    ])
    func `a wrong command line is 64, and nothing is sent`(arguments: [String]) async throws {
        let process = try ToolProcess(arguments, server: .unix(path: "/nonexistent"))
        process.endInput()
        let outcome = process.outcome()
        #expect(outcome.code == 64, "\(outcome.notes)")
        #expect(outcome.output.isEmpty && outcome.notes.hasPrefix("error: "))
        let name = arguments[0] == "frobnicate" ? "" : arguments[0] + " "
        #expect(outcome.notes.contains("See 'grove \(name)--help'"), "\(outcome.notes)")
    }

    @Test(arguments: [
        (["sned", "counter/a", "increment"], "there is no command 'sned'; did you mean 'send'?"),
        (["help", "sned"], "there is no command 'sned'; did you mean 'send'?"),
        (["hist"], "there is no command 'hist'; did you mean 'history'?"),
        (["help", "frobnicate"], "there is no command 'frobnicate'\n"),
    ])
    func `an unknown command is reported with the nearest`(
        arguments: [String], text: String
    ) async throws {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.code == 64 && outcome.output.isEmpty)
        #expect(outcome.notes.hasPrefix("error: " + text), "\(outcome.notes)")
    }

    @Test func `alone it shows its commands in groups, and help explains one`() async throws {
        let alone = try await Tool.run()
        #expect(alone.code == 0)
        for group in ["SERVER", "INSTANCE", "EFFECT", "WATCHING", "MACHINE", "DATA", "OTHER"] {
            #expect(alone.output.contains("\n\(group) SUBCOMMANDS:\n"), "\(alone.output)")
        }
        let help = try await Tool.run("help", "send")
        #expect(help.code == 0 && help.output.contains("USAGE: grove send "))
    }

    @Test func `the version is a line, or an object`() async throws {
        let json = try await Tool.run("version", "--json")
        let version = try JSONValue(parsing: Array(json.output.utf8))
        #expect(version["program"] == "grove" && version["version"] == version["grove"])
        #expect(try await Tool.run("version").output == "grove \(version["grove"]?.string ?? "")\n")
    }

    @Test func `the version names the system's libraries`() async throws {
        let text = try await Tool.run("version", "--libraries")
        let json = try await Tool.run("version", "--libraries", "--json")
        let libraries = try JSONValue(parsing: Array(json.output.utf8))["libraries"]?.array ?? []
        #expect(
            libraries.map { $0["name"] } == ["libsqlite3", "libz", "libssl", "libcurl"])
        for library in libraries {
            let (name, version) = (library["name"]?.string, library["version"]?.string)
            #expect(version?.split(separator: ".").count ?? 0 >= 3)
            #expect(text.lines.contains { $0.hasPrefix("\(name ?? "?") \(version ?? "?") (") })
        }
    }

    @Test func `an output without room is reported`() throws {
        let script = "'\(Tool.path)' version > /dev/full"
        let outcome = try Command.run("/bin/sh", ["-c", script])
        #expect(outcome.status == 74)
        #expect(outcome.output == "error: standard output: No space left on device\n")
        for words in ["help", "serve --help"] {
            let help = try Command.run("/bin/sh", ["-c", "'\(Tool.path)' \(words) > /dev/full"])
            #expect(help.status == 74, "\(words)")
        }
    }

    @Test func `standard input that can't be read is an error`() async throws {
        let served = try ServedFile()
        let script = "'\(Tool.path)' send counter/a - --server \(served.address) < /"
        let outcome = try Command.run("/bin/sh", ["-c", script])
        #expect(outcome.status == 74, "\(outcome.output)")
        #expect(outcome.output.contains("standard input: Is a directory"))
    }

    @Test func `bytes that aren't UTF-8 are refused, and not changed`() async throws {
        let served = try ServedFile()
        let send = "'\(Tool.path)' send counter/a"
        let script = "\(send) increment --dedup \"$(printf '\\377')\" --server \(served.address)"
        let outcome = try Command.run("/bin/sh", ["-c", script])
        #expect(outcome.status == 64)
        #expect(outcome.output == "error: argument 5 is no valid UTF-8\n")
        let lines = "printf 'increment\\n\\377\\nincrement\\r\\n' | \(send) - "
        let read = try Command.run("/bin/sh", ["-c", "\(lines) --server \(served.address)"])
        #expect(read.status == 64)
        #expect(
            read.output.split(separator: "\n") == [
                "counter/a v1  changed", "line 2: error: it is no UTF-8", "counter/a v2  changed",
            ], "\(read.output)")
    }

    @Test func `get and history show why an instance was stopped`() async throws {
        let served = try ServedFile()
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        let reason = "customer left"
        _ = try await Tool.run("stop", "counter/a", "--reason", reason, server: served.address)
        let get = try await Tool.run("get", "counter/a", server: served.address)
        #expect(get.lines.contains("reason      customer left"), "\(get.output)")
        let history = try await Tool.run("history", "counter/a", server: served.address)
        #expect(history.lines.last == "stopped: customer left" && history.lines.count == 2)
        let watch = try await Tool.run(
            "watch", "counter", "--from", "first", "--count", "3", server: served.address)
        #expect(watch.lines.last?.hasSuffix("stopped: customer left") == true, "\(watch.output)")
    }

    @Test func `a server that isn't there is 69`() async throws {
        let outcome = try await Tool.run("get", "c/a", server: .unix(path: "/nonexistent"))
        #expect(outcome.code == 69 && outcome.output.isEmpty)
        #expect(outcome.notes.hasPrefix("error: UNREACHABLE: unix:/nonexistent"))
        #expect(outcome.notes.contains("hint: is a server running there?"))
    }

    @Test(arguments: [
        ("NO_SUCH_INSTANCE", false, 1), ("OVERLOADED", true, 75), ("TIMEOUT", true, 75),
        ("INTERNAL", false, 70), ("A_NEW_ONE", false, 1),
    ])
    func `a refusal has its exit code`(code: String, retry: Bool, expected: Int32) async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.refuse(
                try connection.request("get"), code, retry: retry, more: #","data":{"v":4.50}"#)
        }
        let outcome = try await Tool.run("get", "c/a", "--json", server: server.address)
        #expect(outcome.code == expected)
        #expect(outcome.notes.hasPrefix("error: \(code): no\n  {\"v\":4.5}"))
        let error = """
            {"error":{"code":"\(code)","message":"no","retry":\(retry),"data":{"v":4.50}}}
            """
        #expect(outcome.lines == [error])
    }

    @Test func `a connection that breaks is 75`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("send")
        }
        let outcome = try await Tool.run(
            "send", "c/a", "go", "--dedup", "auto", "--json", server: server.address)
        #expect(outcome.code == 75)
        #expect(outcome.notes.contains("the event went out with --dedup cli-"))
        #expect(outcome.output.hasPrefix(#"{"error":{"code":"CONNECTION_LOST""#))
    }

    @Test func `no reply in time is 75`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("get")
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "get", "c/a", "--timeout", "2s", server: server.address)
        #expect(outcome.code == 75 && outcome.notes.hasPrefix("error: NO_REPLY: "))
    }

    @Test func `a peer that is no Grove server is 70`() async throws {
        let server = try FakeServer { connection in try connection.write("220 mail ESMTP") }
        let outcome = try await Tool.run("ping", server: server.address)
        #expect(outcome.code == 70 && outcome.notes.hasPrefix("error: PROTOCOL_VIOLATION"))
    }

    @Test func `send accepts words and JSON as events`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let line = try connection.line() ?? ""
                let expected = """
                    {"op":"send","id":2,"to":"c/a","event":{"type":"add", "n":1.50},\
                    "dedup":"k","expect":"absent","create":"must","reply":"full"}
                    """
                try connection.require(line == expected, line)
                try connection.write(
                    #"{"id":2,"ok":true,"v":1,"changed":true,"state":{"n":1.50},"outputs":["x"]}"#)
            },
            { connection in
                try connection.greet()
                let send = try connection.request("send")
                try connection.require(send["event"] == "go", "\(send)")
                try connection.reply(send, #""v":1,"changed":false,"dup":true,"done":true"#)
            })
        let first = try await Tool.run(
            "send", "c/a", "{\"type\":\"add\",\n\"n\":1.50}", "--dedup", "k", "--expect",
            "absent", "--create", "must", "--reply", "full", server: server.address)
        #expect(first.lines == ["c/a v1  changed  state {\"n\":1.5}", "  output  \"x\""])
        let second = try await Tool.run("send", "c/a", "go", server: server.address)
        #expect(second.lines == ["c/a v1  repeated  done"])
        try await server.finish()
    }

    @Test func `send reads standard input by lines, and answers in order`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let requests = try (0..<3).map { _ in try connection.request("send") }
            let keys = requests.map { $0["dedup"]?.string ?? "" }
            try connection.require(keys == ["k-1", "k-4", "k-5"], "\(keys)")
            try connection.reply(requests[2], #""v":2"#)
            try connection.refuse(requests[1], "EVENT_REJECTED")
            try connection.reply(requests[0], #""v":1"#)
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "send", "c/a", "-", "--dedup", "k", "--json", server: server.address,
            input: "go\n\n{\"bad\n\"stop\"\n{\"type\":\"go\"}\n")
        #expect(outcome.code == 64)
        #expect(outcome.lines.count == 4)
        #expect(outcome.lines.first == #"{"v":1}"# && outcome.lines.last == #"{"v":2}"#)
        #expect(outcome.lines[1].hasPrefix(#"{"error":{"code":"INVALID_REQUEST""#))
        #expect(outcome.lines[2].hasPrefix(#"{"error":{"code":"EVENT_REJECTED""#))
        #expect(outcome.notes.contains("line 4 (--dedup k-4):"))
    }

    @Test func `list prints columns, and all pages with --all`() async throws {
        let items = #"{"to":"c/long","v":12,"state":"s","done":true,"updated":"t"}"#
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("list")
            try connection.require(first["state"] == "s" && first["done"] == true, "\(first)")
            try connection.reply(first, #""items":[\#(items),{"to":"c/a","v":1}],"next":"n""#)
            let second = try connection.request("list")
            try connection.require(second["after"] == "n", "\(second)")
            try connection.reply(second, #""items":[]"#)
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "list", "c", "--state", "s", "--done", "--all", server: server.address)
        #expect(outcome.lines == ["c/long  v12  t  done  \"s\"", "c/a     v1            null"])
        #expect(outcome.code == 0 && outcome.notes.isEmpty)
    }
}
