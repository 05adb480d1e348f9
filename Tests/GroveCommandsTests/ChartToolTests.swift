import Foundation
import GroveTestSupport
import Testing

/// `grove check`, `grove test` and `grove eval`, run as a user would.
@Suite("Tools for charts", .timeLimit(.minutes(2)))
struct ChartToolTests {
    private func run(_ arguments: [String]) throws -> Command.Outcome {
        try Command.run(try GroveBinary.find().path, arguments)
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
        #expect(try run(["test", cases]).status == 64)
        #expect(try run(["test", "--cases", folder.path("none.json")]).status == 66)
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
        #expect(warned.output.contains("odd.json: warning: $.states.never"))
        #expect(try run(["check", odd, "--strict"]).status == 65)
        let broken = try file(
            "broken.json",
            #"{"initial":"a","states":{"a":{"on":{"t":{"guard":"1 +","target":"b"}}}}}"#,
            in: folder)
        let outcome = try run(["check", sound, broken])
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("broken.json: error: $.states.a.on.t.guard: "))
        #expect(outcome.output.contains("^"))
        #expect(outcome.output.hasSuffix("\(broken)  2 errors, 0 warnings\n"))
        let json = try run(["check", broken, "--json"])
        #expect(
            json.output.contains(#""valid":false,"problems":[{"severity":"error","path":"$.st"#))
        #expect(json.output.contains(#""line":1,"column":"#))
        #expect(try run(["check", folder.path("none.json")]).status == 66)
    }
}
