import OrderedJSON
import Testing

@testable import Diagrams

@Suite("Graphs of descriptions")
struct DescribedGraphTests {
    private func graph(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: Array(text.utf8)).object)
    }

    @Test func `nodes and edges have the ids and the meanings of the reply`() throws {
        let json = try graph(
            """
            {"nodes":[{"id":"s0","kind":"compound","label":"a","initial":true,"active":true},\
            {"id":"s1","parent":"s0","kind":"state","label":"b","initial":true,"active":true},\
            {"id":"s2","parent":"s0","kind":"deep-history","label":"H*"},\
            {"id":"s3","kind":"final","label":"c"}],\
            "edges":[{"id":"e0","from":"s0","to":"s1","kind":"initial"},\
            {"id":"e1","from":"s1","to":"s3","event":"E","guard":"x > 1","kind":"event"},\
            {"id":"e2","from":"s0","to":"s3","event":"done.state.a","kind":"event"},\
            {"id":"e3","from":"s1","to":"s1","event":"error.http","kind":"event"},\
            {"id":"e4","from":"s1","to":"s3","event":"go","kind":"move"},\
            {"id":"e5","from":"s1","to":"s3","event":"after 3s","kind":"after"},\
            {"id":"e6","from":"s2","to":"s1","kind":"initial"},\
            {"id":"e7","from":"s1","to":"s3","event":"seen","kind":"observed"}]}
            """)
        let graph = DiagramGraph(describing: json)
        #expect(graph.nodes.map(\.id) == ["s0", "s1", "s2", "s3"])
        #expect(graph.nodes.map(\.kind) == [.compound, .atomic, .deepHistory, .final])
        #expect(graph.nodes.map(\.parent) == [nil, "s0", "s0", nil])
        #expect(graph.nodes.filter(\.isInitial).map(\.id) == ["s0", "s1"])
        #expect(graph.edges.map(\.id) == ["e1", "e2", "e3", "e4", "e5", "e6", "e7"])
        #expect(
            graph.edges.map(\.kind)
                == [.external, .done, .error, .computed, .after, .initial, .observed])
        #expect(graph.edges[0].label == "E [x > 1]")
        #expect(DiagramGraph.active(describing: json) == ["s0", "s1"])
    }

    @Test func `unknown kinds are drawn, and what is wrong is left out`() throws {
        let json = try graph(
            """
            {"nodes":[{"id":"s0","kind":"cloud"},{"kind":"state"},4],\
            "edges":[{"id":"e0","from":"s0","to":"s0","kind":"wind"},{"id":"e1","from":"s0"},null]}
            """)
        let graph = DiagramGraph(describing: json)
        #expect(graph.nodes == [.init(id: "s0", label: "")])
        #expect(graph.edges == [.init(id: "e0", from: "s0", to: "s0")])
        #expect(DiagramGraph(describing: JSONObject()) == DiagramGraph())
        #expect(DiagramGraph(describing: ["nodes": 3, "edges": "none"]) == DiagramGraph())
    }
}
