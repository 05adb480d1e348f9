import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("grove can, describe", .ownThreads, .timeLimit(.minutes(2)))
struct ToolMachineTests {
    @Test func `can says yes or no, with its exit code`() async throws {
        let server = try ServedFile()
        let yes = try await Tool.run("can", "turnstile/gate", "COIN", server: server.address)
        #expect(yes.code == 0 && yes.lines == [#"yes  state "unlocked""#])
        let no = try await Tool.run("can", "turnstile/gate", "PUSH", server: server.address)
        #expect(no.code == 1 && no.lines == ["no  the turnstile is locked  accepts COIN"])
        let json = try await Tool.run(
            "can", "turnstile/gate", "PUSH", "--json", server: server.address)
        #expect(json.code == 1 && json.lines.first?.hasPrefix(#"{"can":false,"#) == true)
        #expect(try await Tool.run("can", "door/a", "x", server: server.address).code == 1)
    }

    @Test func `describe draws`() async throws {
        let server = try ServedFile()
        let mermaid = try await Tool.run("describe", "turnstile", server: server.address)
        #expect(mermaid.code == 0 && mermaid.lines.first == "stateDiagram-v2")
        #expect(mermaid.lines.contains("    s1 --> s0 : PUSH"))
        #expect(mermaid.lines.suffix(3) == ["%% events:", "%%   COIN", "%%   PUSH"])
        let counter = try await Tool.run("describe", "counter", server: server.address)
        #expect(counter.lines.contains("%%   add  amount: an integer"))
        let dot = try await Tool.run(
            "describe", "order", "--format", "dot", server: server.address)
        #expect(dot.lines.first == "digraph routes {" && dot.lines.contains("}"))
        #expect(dot.lines.contains("//   expire  (only the machine itself sends it)"))
        #expect(dot.lines.contains("//   charge  url: a string  order?: a string"))
        let json = try await Tool.run("describe", "order", "--json", server: server.address)
        #expect(json.lines.first?.hasPrefix(#"{"name":"order","#) == true)
    }

    @Test func `diagram draws an instance with its state lit`() async throws {
        let server = try ServedFile()
        func run(_ arguments: String...) async throws -> Tool.Outcome {
            try await Tool.run(arguments, server: server.address)
        }
        #expect(try await run("send", "turnstile/gate", "COIN").code == 0)
        let instance = try await run("diagram", "turnstile/gate")
        #expect(instance.code == 0 && instance.lines.first == "stateDiagram-v2")
        #expect(instance.lines.last == "    class s1 active")
        let machine = try await run("diagram", "turnstile", "--format", "dot", "--json")
        #expect(machine.lines.first?.hasPrefix(#"{"format":"dot","diagram":"digraph"#) == true)
        #expect(try await run("describe", "turnstile/gate").lines.contains("    class s1 active"))
        let image = try await run("diagram", "turnstile/gate", "--format", "svg")
        #expect(image.code == 0 && image.lines.first?.hasPrefix("<svg ") == true)
        #expect(image.lines.contains { $0.contains("node atomic lit\" data-node=\"s1\"") })
        #expect(try await run("diagram", "turnstile/none").code == 1)
        #expect(try await run("diagram", "turnstile/gate", "--active", "locked").code == 64)
        #expect(try await run("diagram", "none.json").code == 66)
    }

    @Test func `a description has a graph and examples`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        _ = try await client.send(to: "turnstile/gate", event: .string("COIN"))
        let described = try await client.describe("turnstile/gate")
        #expect(described.graph.nodes.map(\.label) == ["locked", "unlocked"])
        #expect(described.graph.nodes.map(\.isActive) == [false, true])
        #expect(described.graph.nodes.map(\.isInitial) == [true, false])
        #expect(described.graph.nodes.map(\.kind) == ["state", "state"])
        #expect(described.graph.edges.map(\.event) == ["COIN", "PUSH"])
        #expect(described.graph.edges.map(\.from) == described.graph.nodes.map(\.id))
        #expect(described.examples["COIN"] == ["COIN"] && !described.isPartial)
        await client.close()
    }
}
