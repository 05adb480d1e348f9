import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove import` of charts and `grove diagram`, run as a user would.
@Suite("Charts on the command line", .ownThreads, .timeLimit(.minutes(2)))
struct ImportChartTests {
    private static let door = """
        <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <state id="open"><transition event="close" cond="In('open')" target="shut"/></state>
        <state id="shut"/></scxml>
        """

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(try GroveBinary.find().path, arguments)
    }

    @Test func `a document becomes a file that can be drawn`() throws {
        let folder = try TemporaryFolder()
        let source = folder.path("door.scxml")
        let output = folder.path("door.json")
        try Self.door.write(toFile: source, atomically: true, encoding: .utf8)
        #expect(try run("import", source, "--output", output).status == 0)
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.hasPrefix("{\n  \"id\": \"door\",\n"))
        #expect(try run("import", source).output == text)
        // A file is replaced only if that was asked for.
        #expect(try run("import", source, "--output", output).status == 73)
        #expect(try run("import", source, "--output", output, "--force").status == 0)

        let mermaid = try run("diagram", output, "--active", "shut")
        #expect(mermaid.status == 0)
        #expect(mermaid.output.contains("s1 --> s2 : close.* [in('open')]"))
        #expect(mermaid.output.contains("class s2 active"))
        let dot = try run("diagram", output, "--format", "dot", "--active", "open")
        #expect(dot.output.contains("s1 [label=\"open\", style=\"rounded,filled\", fillcolor=gold"))
        let image = try run("diagram", output, "--format", "svg", "--active", "shut")
        #expect(image.status == 0 && image.output.hasPrefix("<svg "))
        #expect(image.output.contains("<title>door.json</title>"))
        #expect(image.output.contains("data-node=\"s2\"") && image.output.hasSuffix("</svg>\n"))
        #expect(try run("diagram", output, "--active", "ajar").status == 65)
        #expect(try run("diagram", source).status == 65)
        #expect(try run("diagram", folder.path("none.json")).status == 66)
    }

    @Test func `problems have their places, and nothing is written`() throws {
        let folder = try TemporaryFolder()
        let source = folder.path("door.scxml")
        let output = folder.path("door.json")
        try Self.door.replacing("In(", with: "Out(")
            .write(toFile: source, atomically: true, encoding: .utf8)
        let outcome = try run("import", source, "--output", output)
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("door.scxml:2:53: error: the function 'Out' has no"))
        #expect(!FileManager.default.fileExists(atPath: output))
        let json = try run("import", source, "--json")
        #expect(
            json.output.contains(#"{"definition":null,"problems":[{"severity":"error","line":2"#))
        #expect(try run("import", folder.path("none.scxml")).status == 66)
        #expect(try run("import", "lines.jsonl", "--output", output).status == 64)
    }

    @Test func `scripts are read beside the document, and nowhere else`() throws {
        let folder = try TemporaryFolder()
        let source = folder.path("door.scxml")
        try "x = 1".write(toFile: folder.path("a.js"), atomically: true, encoding: .utf8)
        for (name, status) in [("a.js", 0), ("../a.js", 65), ("/etc/hostname", 65), ("b.js", 65)] {
            try Self.door.replacing(
                "<state id=\"shut\"/>", with: "<state id=\"shut\"/><script src=\"\(name)\"/>"
            )
            .write(toFile: source, atomically: true, encoding: .utf8)
            #expect(try run("import", source).status == Int32(status), "\(name)")
        }
    }

    @Test func `a machine of XState is imported`() throws {
        let folder = try TemporaryFolder()
        let source = folder.path("light.json")
        try #"{"id":"light","initial":"on","states":{"on":{"on":{"X":"off"}},"off":{}}}"#
            .write(toFile: source, atomically: true, encoding: .utf8)
        let outcome = try run("import", source)
        #expect(outcome.status == 0)
        let parsed = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(parsed["states"]?["on"]?["on"]?.description == #"{"X":"off"}"#)
    }

    @Test(arguments: ["orders.json", "ORDERS.JSON"])
    func `an export is recognized by its first line, whatever its name`(name: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let source = folder.path(name)
        let lines = [
            #"{"to":"counter/a","v":1,"state":{"count":1},"done":false}"#,
            #"{"history":"counter/a","v":1,"event":"increment","outputs":[]}"#,
            #"{"to":"counter/b","v":2,"state":{"count":2},"done":false}"#,
        ]
        try lines.map { $0 + "\n" }.joined().write(
            toFile: source, atomically: true, encoding: .utf8)
        let server = try ServerProcess(data: ":memory:")
        let address = "127.0.0.1:\(server.port)"
        let outcome = try run("import", source, "--json", "--server", address)
        #expect(outcome.status == 0 && outcome.output.contains("\"made\":2"), "\(outcome.output)")
        #expect(server.stop() == 0)
        #expect(try run("import", source, "--output", folder.path("x")).status == 64)
        #expect(try run("import", folder.path("none.json")).status == 66)
    }

    @Test(arguments: [
        "", "\n", "[]", "{", #"{"to":"counter/a"}"#, #"{"to":"counter","v":1}"#,
        #"{"id":"light","history":"deep","v":1,"states":{}}"#,
    ])
    func `a document that is no export is read as a machine of XState`(text: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let source = folder.path("light.json")
        try text.write(toFile: source, atomically: true, encoding: .utf8)
        let outcome = try run("import", source)
        // No server was asked.
        #expect(outcome.status == 65 && outcome.output.contains("light.json:"), "\(outcome.output)")
    }
}
