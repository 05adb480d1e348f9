import Foundation
import GroveTestSupport
import Testing

/// `grove check`, `grove test` and `grove eval`, run as a user would.
@Suite("Tools for charts", .ownThreads, .timeLimit(.minutes(2)))
struct ChartToolTests {
    private func run(_ arguments: [String], input: String? = nil) throws -> Command.Outcome {
        try Command.run(try GroveBinary.find().path, arguments, input: input)
    }

    private func file(_ name: String, _ text: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    // MARK: eval

    @Test(arguments: [
        (["1 + 2"], "3  int"), (["1.5 + 1"], "2.5  double"),
        (["[1, 'a']"], "[1, \"a\"]  list(dyn)"),
        (["a.b > 1 && c == 'x'", "--with", #"{"a":{"b":2},"c":"x"}"#], "true  bool"),
        (["{'a': 1u}", "--json"], #"{"value":{"a":1},"type":"map(string, uint)"}"#),
        (["1.0 / 0.0", "--json"], #"{"value":"double(\"Infinity\")","type":"double"}"#),
    ])
    func `an expression gives its value and type`(arguments: [String], line: String) throws {
        let outcome = try run(["eval"] + arguments)
        #expect(outcome.output == line + "\n")
        #expect(outcome.status == 0)
    }

    @Test(
        arguments: [
            (["1 +"], 65, "^"), (["a"], 65, "there is no variable 'a'"), (["1 / 0"], 1, "^"),
            (["[1][2]"], 1, "^"),
            (["a", "--with", "[1]"], 65, "members of an object"),
            (["a", "--with", "{"], 65, "--with"),
            ([], 64, "missing"), (["a", "+", "b"], 64, "quote"), (["--cases"], 64, "file"),
            (["--cases", "/nowhere.json"], 66, "/nowhere.json"),
        ] as [([String], Int32, String)])
    func `a wrong expression is reported`(
        arguments: [String], status: Int32, words: String
    ) throws {
        let outcome = try run(["eval"] + arguments)
        #expect(outcome.status == status)
        #expect(outcome.output.contains(words), "\(outcome.output)")
    }

    @Test func `tests of expressions are counted`() throws {
        let folder = try TemporaryFolder()
        let cases = try file(
            "cases.json",
            """
            [{"section":"a","name":"one","expr":"x + 1","type_env":{"x":"int"},
              "bindings":{"x":{"int":"1"}},"expect":{"int":"2"}},
             {"section":"a","name":"two","expr":"1 / 0","error":true},
             {"section":"a","name":"three","expr":"1","expect":{"uint":"1"}},
             {"section":"a","name":"four","expr":"1.5 + 1","expect":{"double":"2.5"}},
             {"section":"a","name":"five","expr":"1","expect":{"integer":"1"}}]
            """, in: folder)
        let outcome = try run(["eval", "--cases", cases])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0] == "\(cases): a/three: 1 instead of 1u")
        #expect(lines[1].hasPrefix("\(cases): a/four: "))
        #expect(lines[2] == #"\#(cases): a/five: {"integer":"1"} is no value of a test"#)
        #expect(lines[3] == "2/5")
        #expect(outcome.status == 1)
        let json = try run(["eval", "--cases", cases, "--json"])
        #expect(json.output.hasSuffix("{\"passed\":2,\"total\":5}\n"))
        let sound = try file(
            "sound.json", #"{"name":"one","expr":"1","expect":{"int":"1"}}"#, in: folder)
        #expect(try run(["eval", "--cases", sound, sound]).output == "2/2\n")
        let broken = try file("broken.json", "[{]", in: folder)
        #expect(try run(["eval", "--cases", sound, broken]).status == 65)
        let list = try file("list.json", "[1]", in: folder)
        #expect(try run(["eval", "--cases", list]).status == 65)
    }

    // MARK: test

    private static let machine = """
        {"initial":"a","states":{"a":{"on":{"t":"b"},"after":{"1s":"c"}},
        "b":{},"c":{"type":"final"}}}
        """

    @Test func `behavior tests of charts are counted`() throws {
        let folder = try TemporaryFolder()
        let cases = try file(
            "cases.json",
            """
            [{"name":"one","machine":\(Self.machine),"initial":["a"],
              "steps":[{"event":"t","expect":["b"]}]},
             {"name":"two","machine":\(Self.machine),"initial":["a"],
              "steps":[{"after_ms":1000,"expect":["b"]}]},
             {"name":"three","machine":\(Self.machine),"expect_final":"c"},
             {"name":"four","machine":\(Self.machine),"expect_final":"b"},
             {"name":"five","machine":{"initial":"x","states":{"a":{}}},"initial":["a"]}]
            """, in: folder)
        let outcome = try run(["test", "--cases", cases])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0] == "\(cases): two: after step 1: c instead of b")
        #expect(lines[1] == "\(cases): four: it ends in c instead of b")
        #expect(lines[2].hasPrefix("\(cases): five: error: $.initial: "))
        #expect(lines[3] == "2/5")
        #expect(outcome.status == 1)
        #expect(try run(["test", "--cases", folder.path("none.json")]).status == 66)
    }

    // MARK: simulate

    private static let door = """
        {"id":"door","initial":"shut","states":{"shut":{"on":{"OPEN":"open"}},
        "open":{"after":{"10s":"shut"}}}}
        """

    @Test func `a script becomes a conversation, which is a test`() throws {
        let folder = try TemporaryFolder()
        let door = try file("door.json", Self.door, in: folder)
        let script = try run(["simulate", door], input: "# A door.\nOPEN\n\n.wait 10s\n")
        let conversation = """
            # A door.
            > .start
              state     shut
            > OPEN
              state     shut -> open

            > .wait 10s
              time      2026-01-01T00:00:10Z
              timer     open
              state     open -> shut

            """
        #expect(script.output == conversation)
        #expect(script.status == 0)
        // A conversation is a script too.
        #expect(try run(["simulate", door], input: conversation).output == conversation)
        let golden = try file("door.conversation", conversation, in: folder)
        for path in [door, golden, folder.path("")] {
            #expect(try run(["test", path]).output == "1/1\n")
        }
        _ = try file("door.json", Self.door.replacing("10s", with: "5s"), in: folder)
        let failed = try run(["test", door])
        #expect(
            failed.output == """
                \(golden):8: time      2026-01-01T00:00:05Z instead of time \
                     2026-01-01T00:00:10Z
                0/1

                """)
        #expect(failed.status == 1)
        let json = try run(["test", door, "--json"])
        #expect(json.output.contains(#""line":8,"problem":"time      2026-01-01T00:00:05Z"#))
        #expect(try run(["test", door, "--update"]).output.hasSuffix("1/1\n"))
        #expect(try run(["test", door]).output == "1/1\n")
    }

    @Test func `a command that can't be carried out is reported with its line`() throws {
        let folder = try TemporaryFolder()
        let door = try file("door.json", Self.door, in: folder)
        let outcome = try run(["simulate", door], input: "OPEN\n.fly\nOPEN\n")
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("error: line 2: there is no command '.fly'"))
        #expect(outcome.output.contains("> OPEN\n  unchanged no transition takes it\n"))
        let json = try run(["simulate", door, "--json"], input: "OPEN\n.fly\n")
        #expect(json.output.contains(#""state":{"value":"open","context":{}}}"#))
        #expect(json.output.contains(#""command":".fly","records":[],"#))
        #expect(try run(["simulate", folder.path("none.json")]).status == 66)
        let broken = try file("broken.json", "{}", in: folder)
        #expect(try run(["simulate", broken]).status == 65)
    }

    @Test func `machines of the same folder are invoked by name`() throws {
        let folder = try TemporaryFolder()
        _ = try file(
            "kid.json", #"{"id":"kid","initial":"a","states":{"a":{"type":"final"}}}"#, in: folder)
        _ = try file("broken.json", "{", in: folder)
        let parent = try file(
            "parent.json",
            #"""
            {"id":"parent","initial":"a","states":{"a":{"invoke":{"id":"k","src":"machine:kid",
             "onDone":"b"}},"b":{"type":"final"}}}
            """#, in: folder)
        let outcome = try run(["simulate", parent], input: ".start\n")
        #expect(outcome.output.contains("  state     kid/main~k~1 a\n"))
        #expect(outcome.output.contains("  state     a -> b\n"))
    }

    @Test(arguments: [
        ("> OPEN\nstray\n", 1, ":2: a command begins with"), ("> .fly\n", 1, ":1: there is no"),
    ])
    func `a broken conversation fails with its line`(
        text: String, status: Int32, words: String
    ) throws {
        let folder = try TemporaryFolder()
        let door = try file("door.json", Self.door, in: folder)
        _ = try file("door.x.conversation", text, in: folder)
        let outcome = try run(["test", door])
        #expect(outcome.status == status)
        #expect(outcome.output.contains(words), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("0/1\n"))
    }

    @Test func `without a conversation, the answer says how to make one`() throws {
        let folder = try TemporaryFolder()
        let door = try file("door.json", Self.door, in: folder)
        let outcome = try run(["test", door])
        #expect(outcome.status == 66)
        #expect(outcome.output.contains("grove simulate NAME.json < SCRIPT > NAME.conversation"))
        #expect(try run(["test", folder.path("none.json")]).status == 66)
        _ = try file("other.conversation", "> X\n", in: folder)
        #expect(try run(["test", folder.path("other.conversation")]).status == 66)
    }

    // MARK: explore

    @Test func `an exploration shows what is wrong, and how to get there`() throws {
        let folder = try TemporaryFolder()
        let order = try file(
            "order.json",
            #"""
            {"id":"order","initial":"a","context":{"n":0},"events":{"ADD":{},"NEVER":{}},"states":{
              "a":{"on":{"ADD":{"guard":"context.n < 8","assign":{"n":"context.n + 1"}},
                "NEVER":{"guard":"context.n > 99","target":"b"}}},"b":{"type":"final"}}}
            """#, in: folder)
        let outcome = try run(["explore", order, "--invariant", "context.n < 7"])
        #expect(
            outcome.output == """
                invariant  context.n < 7
                  > .start
                  > ADD
                  # and 6 times more
                dead end  a: no event that was tried does anything
                  > .start
                  > ADD
                  # and 7 times more
                never active  b
                never taken  NEVER
                9 states, 18 steps, depth 8: all that these events can reach

                """)
        #expect(outcome.status == 1)
        let bounded = try run(["explore", order, "--states", "3"])
        #expect(bounded.status == 0)
        #expect(bounded.output.hasSuffix("not all: further states with --states or --depth\n"))
        let json = try run(["explore", order, "--json"])
        #expect(json.output.hasPrefix(#"{"states":9,"steps":18,"depth":8,"complete":true,"#))
    }

    @Test(
        arguments: [
            (["--invariant", "contex.n > 0"], 65, "did you mean 'context'?"),
            (["--invariant", "in('z')"], 65, "the chart has no state z"),
            (["--event", "A B"], 65, "--event"), (["--answer", "x"], 65, "ID=JSON"),
            (["--answer", "x={"], 65, "--answer"), (["--wait", "soon"], 65, "--wait"),
            (["--states", "0"], 64, "--states"), (["--depth", "0"], 64, "--depth"),
        ] as [([String], Int32, String)])
    func `a wrong option of an exploration is named`(
        options: [String], status: Int32, words: String
    ) throws {
        let folder = try TemporaryFolder()
        let door = try file("door.json", Self.door, in: folder)
        let outcome = try run(["explore", door] + options)
        #expect(outcome.status == status)
        #expect(outcome.output.contains(words), "\(outcome.output)")
    }

    // MARK: check

    @Test func `definitions are checked as a server would`() throws {
        let folder = try TemporaryFolder()
        let sound = try file(
            "sound.json", Self.machine.replacing(#""b":{}"#, with: #""b":{"type":"final"}"#),
            in: folder)
        #expect(try run(["check", sound]).output == "\(sound)  valid\n")
        let odd = try file(
            "odd.json", #"{"initial":"a","states":{"a":{},"never":{}}}"#, in: folder)
        let warned = try run(["check", odd])
        #expect(warned.status == 0)
        #expect(warned.output.contains(": warning: $.states.never"))
        #expect(try run(["check", odd, "--strict"]).status == 65)
        let broken = try file(
            "broken.json",
            #"{"initial":"a","states":{"a":{"on":{"t":{"guard":"1 +","target":"b"}}}}}"#,
            in: folder)
        let outcome = try run(["check", sound, broken])
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("broken.json:1:42: error: $.states.a.on.t.guard: "))
        #expect(outcome.output.contains("^"))
        #expect(outcome.output.hasSuffix("\(broken)  2 errors, 0 warnings\n"))
        let json = try run(["check", broken, "--json"])
        #expect(
            json.output.contains(#""valid":false,"problems":[{"severity":"error","path":"$.st"#))
        #expect(json.output.contains(#""line":1,"column":42,"expression":{"line":1,"column":4}"#))
        #expect(try run(["check", folder.path("none.json")]).status == 66)
    }
}
