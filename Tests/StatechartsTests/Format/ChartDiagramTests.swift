import Testing
import Transducers

@testable import Statecharts

/// The drawing of a chart.
struct ChartDiagramTests {
    @Test func `states are nodes and groups, transitions are arrows with event and guard`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","on":{"RESET":"a"},"context":{"n":1},"states":{
                  "a":{"on":{"GO":[{"guard":"context.n > 0","target":"p"},{}]},
                       "after":{"30s":"f"}},
                  "p":{"type":"parallel","states":{
                    "q":{"initial":"r","states":{"r":{"always":"h"},
                         "h":{"type":"history","history":"deep","target":"r"}}},"s":{}}},
                  "f":{"type":"final"}}}
                """#.utf8))
        let diagram: StateDiagram = chart.diagram
        #expect(diagram.nodes.map(\.label) == ["a", "f"])
        #expect(diagram.nodes.map(\.kind) == [.state, .terminal])
        #expect(diagram.initial == "s1")
        let group = try #require(diagram.groups.first)
        #expect(group.label == "p (parallel)")
        #expect(group.nodes.map(\.label) == ["p", "s"])
        #expect(group.groups.first?.nodes.map(\.label) == ["q", "r", "h (H*)"])
        let links = diagram.links.map { "\($0.from) \($0.label) \($0.to)" }
        #expect(
            links == [
                "s1 RESET s1", "s2 RESET s1", "s1 GO [context.n > 0] s2",
                "s1 GO s1", "s1 after 30s s7", "s4 always s5", "s3  s4", "s5  s4",
            ])
        #expect(diagram.mermaid.contains("s1 --> s2 : GO [context.n > 0]"))
        #expect(diagram.dot.contains("cluster_g2"))
    }

    @Test func `active states and those around them are colored`() throws {
        let chart = try Chart(
            parsing: Array(
                #"{"initial":"a","states":{"a":{"initial":"b","states":{"b":{}}},"c":{}}}"#.utf8))
        let (diagram, unknown) = chart.diagram(active: ["a.b", "gone"])
        #expect(unknown == ["gone"])
        #expect(diagram.mermaid.contains("class s1,s2 active"))
        #expect(diagram.dot.ranges(of: "fillcolor=gold").count == 2)
        #expect(!chart.diagram.mermaid.contains("active"))
        #expect(chart.diagram(active: ["b"]).diagram == diagram)
    }
}
