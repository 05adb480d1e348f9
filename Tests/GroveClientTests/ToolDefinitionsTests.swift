import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// The commands about machines as data, against the real server.
@Suite("grove define, definitions, undefine, migrate", .ownThreads, .timeLimit(.minutes(3)))
struct ToolDefinitionsTests {
    /// A file with a definition, removed with it.
    private final class Definition {
        let path = NSTemporaryDirectory() + "grove-definition-\(UUID().uuidString).json"

        init(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

        // A failed removal is left to the system's cleaning.
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func door(_ version: String, _ members: String) -> String {
        #"{"id":"door","version":"\#(version)",\#(members)}"#
    }

    private var first: String {
        door(
            "1",
            #""initial":"shut","context":{"n":0},"states":{"shut":{"on":{"SET":{"assign":"#
                + #"{"n":"event.n"}}},"after":{"1h":"gone"}},"gone":{"type":"final"}}"#)
    }

    /// What it computes of the former context fails if that is 0.
    private var second: String {
        door(
            "2",
            #""initial":"closed","context":{"part":0},"#
                + #""migrates":{"states":{"shut":"closed"},"context":{"part":"100 / context.n"}},"#
                + #""states":{"closed":{"after":{"1h":"gone","2h":"gone"}},"#
                + #""gone":{"type":"final"}}"#
        )
    }

    private func define(_ text: String, _ server: ServerAddress) async throws {
        let file = try Definition(text)
        let outcome = try await Tool.run("define", file.path, server: server)
        #expect(outcome.code == 0, "\(outcome.notes)")
    }

    @Test func `a machine is defined, listed and removed`() async throws {
        let server = try ServedFile()
        let file = try Definition(first)
        func run(_ arguments: String...) async throws -> Tool.Outcome {
            try await Tool.run(arguments, server: server.address)
        }
        let trial = try await run("define", file.path, "--dry-run")
        #expect(trial.code == 0 && trial.lines == ["door 1 would be defined"])
        #expect(try await run("define", file.path).lines == ["door 1 defined"])
        #expect(try await run("define", file.path).lines == ["door 1 unchanged"])
        let json = try await run("define", file.path, "--json")
        #expect(json.lines.first?.contains(#""changed":false"#) == true)
        let list = try await run("definitions")
        #expect(list.lines.contains { $0.hasPrefix("door") && $0.contains(" 1 ") })
        #expect(try await run("send", "door/a", #"{"type":"SET","n":1}"#).code == 0)
        let counted = try await run("definitions", "--counts")
        let row = counted.lines.first { $0.hasPrefix("door") }
        #expect(row?.split(separator: " ").suffix(4) == ["1", "0", "0", "0"])
        let other = try Definition(door("2", #""initial":"a","states":{"a":{}}"#))
        let third = try Definition(door("3", #""initial":"b","states":{"b":{}}"#))
        #expect(try await run("define", other.path, third.path).code == 0)
        let pruned = try await run("prune", "door")
        #expect(pruned.lines == ["door 2 removed", "door 1 stays: 1 instance"])
        let again = try await run("prune", "door", "--json")
        #expect(
            again.lines == [#"{"removed":[],"kept":[{"version":"1","instances":1}]}"#],
            "\(again.lines)")
        #expect(try await run("prune", "counter").code == 1)
        let gone = try await run("undefine", "door")
        #expect(gone.lines == ["door takes no new instances; 1 instance goes on"])
        #expect(try await run("create", "door/b").code == 1)
        #expect(try await run("stop", "door/a").code == 0)
        #expect(try await run("delete", "door/a").code == 0)
        #expect(try await run("undefine", "door").lines == ["door removed"])
        #expect(try await run("undefine", "door").code == 1)
    }

    @Test func `files with errors are refused before any is sent`() async throws {
        let server = try ServedFile()
        let good = try Definition(first)
        let broken = try Definition(door("2", #""initial":"nowhere","states":{"a":{}}"#))
        let outcome = try await Tool.run(
            "define", good.path, broken.path, server: server.address)
        #expect(outcome.code == 65 && outcome.notes.contains("nowhere") && outcome.lines.isEmpty)
        let list = try await Tool.run("definitions", server: server.address)
        #expect(!list.output.contains("door"))
        // What only the server knows.
        let counter = try Definition(
            #"{"id":"counter","version":"9","initial":"a","states":{"a":{}}}"#)
        let refused = try await Tool.run("define", counter.path, server: server.address)
        #expect(refused.code == 1 && refused.notes.contains("compiled into the server"))
    }

    @Test func `a dry run of one instance says what becomes of its effects`() async throws {
        let server = try ServedFile()
        try await define(first, server.address)
        _ = try await Tool.run(
            "send", "door/a", #"{"type":"SET","n":4}"#, server: server.address)
        try await define(second, server.address)
        let trial = try await Tool.run("migrate", "door/a", "--dry-run", server: server.address)
        #expect(
            trial.lines == [
                "door/a can be migrated to 2", "  timer/closed/1 starts",
                "  timer/shut/0 continues as timer/closed/0",
            ], "\(trial.output) \(trial.notes)")
        let client = Client(server: server.address)
        #expect(try await client.get("door/a").state["value"] == "shut")
        let done = try await Tool.run("migrate", "door/a", "--json", server: server.address)
        #expect(done.lines.first?.contains(#""starts":["timer/closed/1"]"#) == true)
        #expect(
            try await client.get("door/a").state == ["value": "closed", "context": ["part": 25]])
        let again = try await Tool.run("migrate", "door/a", server: server.address)
        #expect(again.lines == ["door/a has 2"])
    }

    @Test func `of a thousand instances the one that fails is named and left as it is`()
        async throws
    {
        let server = try ServedFile()
        try await define(first, server.address)
        let events = (0..<1_000).map { number in
            #"door/d-\#(number) {"type":"SET","n":\#(number == 617 ? 0 : 5)}"# + "\n"
        }
        let filled = try await Tool.run(
            "batch", "-", server: server.address, input: events.joined())
        #expect(filled.code == 0, "\(filled.notes)")
        try await define(second, server.address)
        let client = Client(server: server.address)
        func migrate(_ flags: String...) async throws -> Tool.Outcome {
            try await Tool.run(["migrate", "door"] + flags, server: server.address)
        }
        let before = try await client.get("door/d-617")
        // First everything is tried, so the one that fails keeps the others where they are.
        for (flags, summary) in [
            (["--dry-run"], "999 instances can be migrated, 1 can't be"),
            ([], "0 instances migrated, 1 can't be"),
        ] {
            let refused = try await Tool.run(
                ["migrate", "door"] + flags, server: server.address)
            #expect(refused.code == 1 && refused.lines.first == summary, "\(refused.output)")
            #expect(refused.notes.hasPrefix("error: door/d-617: "), "\(refused.notes)")
            #expect(refused.notes.split(separator: "\n").count == 1)
            #expect(try await client.get("door/d-1").state["value"] == "shut")
        }
        let trial = try await migrate("--dry-run", "--skip-failing")
        #expect(
            trial.lines == [
                "999 instances can be migrated, 1 can't be",
                "effects: 999 start, 999 continue under new names",
            ])
        #expect(try await client.get("door/d-1").state["value"] == "shut")
        let done = try await migrate("--skip-failing")
        #expect(done.code == 1 && done.lines.first == "999 instances migrated, 1 can't be")
        #expect(done.notes.hasPrefix("error: door/d-617: "))
        for name in ["door/d-0", "door/d-616", "door/d-618", "door/d-999"] {
            let state = try await client.get(name).state
            #expect(state == ["value": "closed", "context": ["part": 20]])
        }
        let left = try await client.get("door/d-617")
        #expect(left.state == before.state && left.version == before.version)
        #expect(left.reply.value("definition")?["version"] == "1")
        #expect(left.timers.count == 1)
        // Only that one is left.
        let json = try await migrate("--skip-failing", "--json")
        #expect(
            json.lines == [
                #"{"migrated":0,"failed":1,"trial":false,"starts":0,"stops":0,"renames":0}"#
            ])
    }

    @Test func `a plan that can't be used is refused once, and changes nothing`() async throws {
        let server = try ServedFile()
        try await define(first, server.address)
        for name in ["door/a", "door/b"] {
            _ = try await Tool.run(
                "send", name, #"{"type":"SET","n":4}"#, server: server.address)
        }
        try await define(second, server.address)
        func migrate(_ to: String, _ plan: String) async throws -> Tool.Outcome {
            let file = try Definition(plan)
            return try await Tool.run("migrate", to, "--plan", file.path, server: server.address)
        }
        for (plan, text) in [
            (#"{"states":[]}"#, "'states' is an object"),
            (#"{"states":{"shut":5}}"#, "this is the name of a state"),
            (#"{"states":{"shut":"closed"},"context":{"part":"context.n +"}}"#, "$.context.part"),
            (#"{"states":{"shut":"closed","shutt":"closed"}}"#, "has a state 'shutt'"),
        ] {
            let outcome = try await migrate("door", plan)
            #expect(outcome.code == 65 && outcome.lines.isEmpty, "\(outcome)")
            #expect(outcome.notes.contains(text), "\(outcome.notes)")
            #expect(outcome.notes.hasPrefix("error: ") && !outcome.notes.contains("door/b"))
        }
        let client = Client(server: server.address)
        #expect(try await client.get("door/b").version == 1)
        // One instance alone may have another version than others that the plan is for.
        let one = try await migrate("door/a", #"{"states":{"shut":"closed","shutt":"closed"}}"#)
        #expect(one.code == 0 && one.lines.first == "door/a migrated to 2", "\(one)")
        #expect(one.notes.contains("the former version of door/a has no state 'shutt'"))
        let done = try await migrate("door", #"{"states":{"shut":"closed"}}"#)
        #expect(done.code == 0 && done.lines.first == "1 instance migrated", "\(done)")
    }

    @Test func `instances go back with --from, and only those that change are counted`()
        async throws
    {
        let server = try ServedFile()
        let states = #""initial":"a","context":{"n":0},"states":{"a":{},"b":{}}"#
        try await define(door("1", states), server.address)
        for name in ["door/a", "door/b"] {
            #expect(try await Tool.run("create", name, server: server.address).code == 0)
        }
        try await define(door("2", states), server.address)
        func migrate(_ flags: String...) async throws -> Tool.Outcome {
            try await Tool.run(["migrate", "door"] + flags, server: server.address)
        }
        let none = "0 instances migrated"
        for (flags, line) in [
            (["--version", "1"], none), ([], "2 instances migrated"), ([], none),
            (["--from", "1"], none), (["--from", "2"], none),
            (["--from", "2", "--version", "1", "--dry-run"], "2 instances can be migrated"),
            (["--from", "2", "--version", "1"], "2 instances migrated"),
            (["--from", "2", "--version", "1"], none),
        ] {
            let outcome = try await Tool.run(["migrate", "door"] + flags, server: server.address)
            #expect(outcome.code == 0 && outcome.lines == [line], "\(flags) \(outcome)")
        }
        for flags in [["--from", "9"], ["--version", "9"]] {
            let outcome = try await Tool.run(["migrate", "door"] + flags, server: server.address)
            #expect(outcome.code == 1 && outcome.notes.contains("has no version 9"), "\(outcome)")
        }
        #expect(try await Tool.run("create", "counter/a", server: server.address).code == 0)
        let compiled = try await Tool.run("migrate", "counter", server: server.address)
        #expect(compiled.code == 1 && compiled.notes.contains("compiled into the server"))
    }

    @Test func `a connection that is lost in the middle ends it with what was migrated`()
        async throws
    {
        let server = try FakeServer({ connection in
            try connection.greet()
            try connection.reply(
                try connection.request("definitions"),
                #""items":[{"name":"door","version":"2","hash":"h"}]"#)
            let items = ["a", "b"].map {
                #"{"to":"door/\#($0)","v":1,"state":{},"done":false,"#
                    + #""updated":"2026-01-01T00:00:00.000Z","definition":"1"}"#
            }
            try connection.reply(
                try connection.request("list"), #""items":[\#(items.joined(separator: ","))]"#)
            let fields = #""v":1,"cur":"x","state":{},"changed":"#
            for _ in 0..<3 {
                try connection.reply(try connection.request("migrate"), fields + "false")
            }
            try connection.reply(try connection.request("migrate"), fields + "true")
            _ = try connection.request("migrate")
        })
        let outcome = try await Tool.run("migrate", "door", server: server.address)
        #expect(outcome.code == 75, "\(outcome)")
        #expect(outcome.notes.contains("hint: 1 instance migrated, and at most"), "\(outcome)")
        #expect(!outcome.notes.contains("--dedup") && outcome.lines.isEmpty)
        try await server.finish()
    }
}
