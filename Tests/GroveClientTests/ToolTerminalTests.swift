import Foundation
import GroveClient
import GroveTestSupport
import Testing

/// The output on a terminal, in a pipe, and without colors. The terminal is one
/// that `script` (Debian's bsdutils) makes.
@Suite("grove on a terminal", .ownThreads, .timeLimit(.minutes(2)))
struct ToolTerminalTests {
    private static let escape = "\u{1B}["

    @Test func `a table has a header and colors on a terminal, and neither in a pipe`()
        async throws
    {
        let served = try ServedFile()
        _ = try await Tool.run("send", "turnstile/gate", "COIN", server: served.address)
        let shown = try Terminal.run(["list"], server: served.address)
        let lines = shown.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\(Self.escape)2minstance\(Self.escape)0m") == true)
        #expect(lines.last?.hasPrefix("\(Self.escape)1mturnstile/gate\(Self.escape)0m  v1") == true)
        let piped = try await Tool.run("list", server: served.address)
        #expect(piped.lines.count == 1 && !piped.output.contains(Self.escape))
        #expect(piped.output.hasPrefix("turnstile/gate  v1  "))
        let json = try Terminal.run(["list", "--json"], server: served.address)
        #expect(json.hasPrefix(#"{"to":"turnstile/gate","v":1"#) && !json.contains(Self.escape))
        let forced = try await Tool.run("list", "--color", "always", server: served.address)
        #expect(forced.output.contains(Self.escape) && forced.lines.count == 1)
    }

    @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""]])
    func `no colors where they aren't wanted, but the header stays`(
        environment: [String: String]
    ) async throws {
        let served = try ServedFile()
        _ = try await Tool.run("create", "counter/a", server: served.address)
        let shown = try Terminal.run(["list"], server: served.address, environment)
        #expect(!shown.contains(Self.escape) && shown.hasPrefix("instance "))
        let forced = try Terminal.run(
            ["list", "--color", "always"], server: served.address, environment)
        #expect(forced.contains(Self.escape))
        let never = try Terminal.run(["list", "--color", "never"], server: served.address)
        #expect(!never.contains(Self.escape))
    }

    @Test func `errors are colored on a terminal and plain in a pipe`() async throws {
        let served = try ServedFile()
        let shown = try Terminal.run(["get", "counter/none"], server: served.address)
        #expect(shown.hasPrefix("\(Self.escape)31merror:\(Self.escape)0m "))
        let piped = try await Tool.run("get", "counter/none", server: served.address)
        #expect(piped.notes.hasPrefix("error: NO_SUCH_INSTANCE: "))
    }

    @Test func `control characters are spelled out on a terminal`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(
                    try connection.request("list"),
                    "\"items\":[{\"to\":\"c/a\",\"v\":1,\"state\":\"\u{9B}31m\u{202E}x\"}]")
                try connection.awaitClose()
            },
            { connection in
                try connection.greet()
                try connection.reply(
                    try connection.request("list"),
                    "\"items\":[{\"to\":\"c/a\",\"v\":1,\"state\":\"\u{9B}31m\"}]")
                try connection.awaitClose()
            })
        let shown = try Terminal.run(["list"], server: server.address)
        #expect(shown.contains(#""\u{9b}31m\u{202e}x""#), "\(shown)")
        let piped = try await Tool.run("list", server: server.address)
        #expect(piped.output.contains("\u{9B}31m"), "a pipe gets what the server sent")
    }

    @Test func `times are local, and near ones relative`()
        async throws
    {
        let served = try ServedFile()
        let place = #"{"type":"place","total":30}"#
        _ = try await Tool.run("send", "order/o", place, server: served.address)
        for command in [["get", "order/o"], ["effects", "order/o"]] {
            let shown = try Terminal.run(command, server: served.address)
            #expect(shown.contains(/due in (29|30) min/), "\(shown)")
            let piped = try await Tool.run(command, server: served.address)
            #expect(piped.output.contains(/due 20[0-9-]+T[0-9:.]+Z/), "\(piped.output)")
        }
        let history = try Terminal.run(
            ["history", "order/o"], server: served.address, ["TZ": "Asia/Kathmandu"])
        #expect(history.contains(/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}/), "\(history)")
        #expect(!history.contains("Z  "), "\(history)")
    }

    @Test func `a line of watch fits the terminal, unless it may be wide`() async throws {
        let served = try ServedFile()
        let place = #"{"type":"place","total":30}"#
        _ = try await Tool.run("send", "order/o", place, server: served.address)
        func shown(_ more: String...) throws -> [String] {
            let words = [Tool.path, "watch", "--from", "first", "--count", "2"] + more
            let script = "stty cols 60; \(words.joined(separator: " ")) 2>/dev/null"
            let outcome = try Command.run(
                "env",
                [
                    "-i", "TERM=dumb", "PATH=/usr/bin:/bin", "GROVE_SERVER=\(served.address)",
                    "script", "-qec", script, "/dev/null",
                ])
            return outcome.output.split(whereSeparator: \.isNewline).map(String.init)
        }
        let cut = try shown()
        #expect(cut.count == 2 && cut[0].hasSuffix("created"), "\(cut)")
        #expect(cut[1].count == 60 && cut[1].hasSuffix("…"), "\(cut)")
        #expect(cut[1].contains("place total=30 ->"), "\(cut)")
        let wide = try shown("--wide")
        #expect(
            wide[1].contains(/started #1 after payment due in (29|30) min$/), "\(wide)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completion scripts are printed`(shell: String) async throws {
        let outcome = try await Tool.run("completions", shell)
        #expect(outcome.code == 0 && outcome.output.contains("check-data"))
    }

    @Test(arguments: InteractiveShell.Kind.tried)
    func `zsh and fish complete commands, options, and names that the server knows`(
        kind: InteractiveShell.Kind
    ) async throws {
        let served = try ServedFile()
        for name in ["counter/one", "counter/other", "order/o-1"] {
            _ = try await Tool.run("create", name, server: served.address)
        }
        let shell = try InteractiveShell(kind, server: served.address)
        for (typed, completed) in [
            ("grove sen", "grove send "), ("grove help defini", "grove help definitions "),
            ("grove get --tim", "grove get --timeout" + (kind == .zsh ? "=" : " ")),
            ("grove get coun", "grove get counter/"),
            ("grove get counter/on", "grove get counter/one "),
            ("grove get counter/", "grove get counter/o"),
            (
                "grove get --server \(served.address) ord",
                "grove get --server \(served.address) order/"
            ),
            (
                "grove get --server=\(served.address) order/",
                "grove get --server=\(served.address) order/o-1 "
            ),
            ("grove send counter/one inc", "grove send counter/one increment "),
            ("grove describe turn", "grove describe turnstile "),
            ("grove await turnstile/t --until unl", "grove await turnstile/t --until unlocked "),
            ("grove list order --state pla", "grove list order --state placed "),
            ("grove serve --log-level deb", "grove serve --log-level debug "),
            ("grove get nothing/", "grove get nothing/"),
        ] {
            let shown = try shell.complete(typed)
            #expect(shown == completed, "\(typed)")
        }
    }

    @Test func `bash completes commands, and names that the server knows`() async throws {
        let served = try ServedFile()
        _ = try await Tool.run("create", "counter/one", server: served.address)
        _ = try await Tool.run("create", "counter/other", server: served.address)
        let script = """
            source <('\(Tool.path)' completions bash)
            grove() { '\(Tool.path)' "$@"; }
            try() {
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"
                COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                __grove_completed "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s ' "${COMPREPLY[@]}"
            }
            compopt() { printf 'compopt %s %s ' "$@"; }
            try '\(Tool.path)' check-; try '\(Tool.path)' get counter/o
            try '\(Tool.path)' get coun; try '\(Tool.path)' help se
            try '\(Tool.path)' send turnstile/t C
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        process.environment = [
            "GROVE_SERVER": served.address.description, "PATH": "/usr/bin:/bin",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let words = String(decoding: data, as: UTF8.self).split(separator: " ")
        #expect(
            words == [
                "check-data", "counter/one", "counter/other", "compopt", "-o", "nospace",
                "counter/", "serve", "send", "COIN",
            ])
    }
}
