import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// Errors of commands with `--json`: a line of JSON on standard output, whatever failed.
@Suite("Errors as JSON", .ownThreads, .timeLimit(.minutes(3)))
struct JSONErrorTests {
    /// Arguments with which a command fails; FOLDER stands for a folder with some files.
    private struct Failing {
        let command: String
        let arguments: String
        let status: Int32
        let code: String

        init(_ command: String, _ arguments: String, _ status: Int32, _ code: String) {
            self.command = command
            self.arguments = arguments
            self.status = status
            self.code = code
        }

        /// A command that asks a server, and there is none.
        init(asking command: String, _ arguments: String = "") {
            self.init(command, arguments + " --server unix:/nonexistent", 69, "UNREACHABLE")
        }
    }

    private static let asking = [
        ("get", "m/a"), ("send", "m/a E"), ("list", ""), ("history", "m/a"), ("create", "m/a"),
        ("stop", "m/a"), ("delete", "m/a"), ("suspend", "m/a"), ("resume", "m/a"),
        ("can", "m/a E"), ("await", "m/a"), ("effects", ""), ("cancel", "m/a --timer t"),
        ("retry", "m/a"), ("complete", "t --result 1"), ("watch", ""), ("top", ""), ("stats", ""),
        ("health", ""), ("ping", ""), ("definitions", ""), ("describe", "m"), ("undefine", "m"),
        ("prune", "m"), ("migrate", "m"), ("replay", ""), ("diagram", "m"),
        ("principal list", ""), ("principal show", "p"), ("principal create", "p"),
        ("principal grant", "p read"), ("principal ungrant", "p read"),
        ("principal identify", "p uid:1"), ("principal unidentify", "p uid:1"),
        ("principal quota", "p connections=1"), ("principal revoke", "p"),
        ("token create", "--principal p"), ("token list", ""), ("token rotate", "aaaaaaaa"),
        ("token revoke", "aaaaaaaa"), ("accounts export", ""),
        ("accounts apply", "FOLDER/accounts.json"), ("audit", ""), ("reload", ""),
        ("backup", "FOLDER/new.db"), ("export", ""), ("define", "FOLDER/sound.json"),
        ("batch", "FOLDER/events"), ("import", "FOLDER/instances"), ("bench", ""),
    ].map { Failing(asking: $0.0, $0.1) }

    private static let others = [
        Failing("serve", "--print-config --listen nowhere", 78, "CONFIGURATION_ERROR"),
        Failing("check-data", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("restore", "FOLDER/missing FOLDER/new.db", 66, "NO_INPUT"),
        Failing("check", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("define", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("define", "FOLDER/faulty.json", 65, "DATA_ERROR"),
        Failing("simulate", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("simulate", "FOLDER/faulty.json", 65, "DATA_ERROR"),
        Failing("test", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("test", "FOLDER/sound.json", 66, "NO_INPUT"),
        Failing("test", "FOLDER/alone.conversation", 66, "NO_INPUT"),
        Failing("test", "--cases FOLDER/missing", 66, "NO_INPUT"),
        Failing("test", "--cases FOLDER/broken.json", 65, "DATA_ERROR"),
        Failing("test", "--cases FOLDER/list.json", 65, "DATA_ERROR"),
        Failing("explore", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("explore", "FOLDER/faulty.json", 65, "DATA_ERROR"),
        Failing("explore", "FOLDER/sound.json --invariant )", 65, "DATA_ERROR"),
        Failing("eval", ")", 65, "DATA_ERROR"),
        Failing("eval", "1/0", 1, "EVAL_ERROR"),
        Failing("eval", "a --with [", 65, "DATA_ERROR"),
        Failing("eval", "--cases FOLDER/missing", 66, "NO_INPUT"),
        Failing("diagram", "FOLDER/missing.json", 66, "NO_INPUT"),
        Failing("diagram", "FOLDER/sound.json --active none", 65, "DATA_ERROR"),
        Failing("migrate", "m --plan FOLDER/missing", 66, "NO_INPUT"),
        Failing("migrate", "m --plan FOLDER/broken.json", 65, "DATA_ERROR"),
        Failing("migrate", "m --plan FOLDER/list.json", 65, "DATA_ERROR"),
        Failing("replay", "--with FOLDER/missing", 66, "NO_INPUT"),
        Failing("replay", "--with FOLDER/faulty.json", 65, "DATA_ERROR"),
        Failing("replay", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("backup", "FOLDER/sound.json", 73, "CANNOT_CREATE"),
        Failing("backup", "FOLDER/absent/a.db", 73, "CANNOT_CREATE"),
        Failing("export", "--data FOLDER/missing", 66, "NO_INPUT"),
        Failing("import", "FOLDER/missing", 66, "NO_INPUT"),
        Failing(
            "import", "FOLDER/chart.scxml --output FOLDER/sound.json", 73, "CANNOT_CREATE"),
        Failing("accounts apply", "FOLDER/missing", 66, "NO_INPUT"),
        Failing("accounts apply", "FOLDER/list.json", 65, "BAD_REQUEST"),
        Failing("principal show", "p --data FOLDER/missing", 66, "NO_INPUT"),
        Failing("principal show", "p --data FOLDER/accounts.db", 1, "BAD_REQUEST"),
        Failing("token create", "--data FOLDER/new.db --principal p", 1, "BAD_REQUEST"),
        Failing("ping", "--token-file FOLDER/missing", 66, "NO_INPUT"),
        Failing("bench", "--record FOLDER/absent/a", 73, "CANNOT_CREATE"),
    ]

    /// Commands that don't fail by themselves: one has commands of its own.
    private static let unfailing: Set = ["shell", "version"]

    private static func run(_ arguments: [String]) throws -> Command.Outcome {
        try Command.run(try GroveBinary.find().path, arguments)
    }

    /// The names of all commands with the flag `--json`.
    private static func commands() throws -> Set<String> {
        let help = try JSONValue(
            parsing: Array(try run(["--experimental-dump-help"]).output.utf8),
            limits: JSONLimits(bytesMax: 16 << 20, valuesMax: 1_000_000))
        var found: Set<String> = []
        var open = (help["command"]?["subcommands"]?.array ?? []).map { ($0, "") }
        while let (command, family) = open.popLast() {
            let name = family + (command["commandName"]?.string ?? "")
            open += (command["subcommands"]?.array ?? []).map { ($0, name + " ") }
            let names = (command["arguments"]?.array ?? []).flatMap { $0["names"]?.array ?? [] }
            if names.contains(where: { $0["name"]?.string == "json" }) { found.insert(name) }
        }
        return found
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let states = #"{"a":{"on":{"E":"b"}},"b":{"type":"final"}}"#
        let sound = #"{"id":"m","initial":"a","states":\#(states)}"#
        for (name, text) in [
            ("sound.json", sound), ("faulty.json", #"{"initial":"b","states":{"a":{}}}"#),
            ("broken.json", "[{"), ("list.json", "[1]"), ("alone.conversation", "> E\n"),
            ("accounts.json", #"{"accounts":1,"principals":{}}"#),
            ("events", #"{"to":"m/a","event":"E"}"#),
            ("instances", #"{"to":"m/a","v":1,"state":{}}"#),
            (
                "chart.scxml",
                #"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a"/>"#
                    + "</scxml>"
            ),
        ] {
            try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }
        let made = try run([
            "token", "create", "--data", folder.path("accounts.db"), "--principal", "ops",
            "--grant", "admin */*",
        ])
        #expect(made.status == 0, "\(made.output)")
        return folder
    }

    @Test func `every command with the flag is tried`() throws {
        let tried = Set((Self.asking + Self.others).map(\.command))
        let commands = try Self.commands()
        #expect(commands.count > 50)
        #expect(commands.subtracting(Self.unfailing) == tried)
    }

    @Test func `an error is one line of JSON, with its code`() throws {
        let folder = try Self.folder()
        for failing in Self.asking + Self.others {
            let words = (failing.command + " " + failing.arguments).split(separator: " ").map {
                String($0).replacing("FOLDER", with: folder.url.path)
            }
            let outcome = try Self.run(words + ["--json"])
            let line = "\(failing.command) \(failing.arguments): \(outcome.output)"
            #expect(outcome.status == failing.status, "\(line)")
            // Standard error is in the output too.
            let errors = outcome.output.split(separator: "\n").filter {
                $0.hasPrefix(#"{"error":"#)
            }
            #expect(errors.count == 1, "\(line)")
            let error = try JSONValue(parsing: Array((errors.first ?? "null").utf8))["error"]
            #expect(error?["code"]?.string == failing.code, "\(line)")
            #expect(error?["message"]?.string?.isEmpty == false, "\(line)")
            #expect(error?["retry"]?.bool != nil, "\(line)")
        }
    }
}
