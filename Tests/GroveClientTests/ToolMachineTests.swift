import GroveClient
import GroveTestSupport
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
}
