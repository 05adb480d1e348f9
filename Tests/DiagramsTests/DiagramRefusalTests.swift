import Diagrams
import Testing

@Suite("Graphs that aren't laid out")
struct DiagramRefusalTests {
    private func node(_ id: String, in parent: String? = nil) -> DiagramGraph.Node {
        DiagramGraph.Node(id: id, parent: parent, label: id)
    }

    private func edge(_ from: String, _ to: String) -> DiagramGraph.Edge {
        DiagramGraph.Edge(id: "\(from)-\(to)", from: from, to: to)
    }

    @Test func `too many nodes and edges are refused, and as many as allowed aren't`() throws {
        let most = (0..<DiagramLimits.nodesMax).map { node("n\($0)") }
        let diagram = try DiagramLayout.lay(DiagramGraph(nodes: most))
        #expect(diagram.boxes.count == 512)
        let more = DiagramGraph(nodes: most + [node("more")])
        #expect(throws: DiagramRefusal.tooManyNodes(513)) { try DiagramLayout.lay(more) }
        var edges = (0..<DiagramLimits.edgesMax).map { _ in edge("n0", "n1") }
        let many = DiagramGraph(nodes: Array(most.prefix(2)), edges: edges)
        let merged = try DiagramLayout.lay(many)
        #expect(merged.paths.count == 1)
        edges.append(edge("n0", "n1"))
        #expect(throws: DiagramRefusal.tooManyEdges(2049)) {
            try DiagramLayout.lay(DiagramGraph(nodes: Array(most.prefix(2)), edges: edges))
        }
    }

    @Test func `what is no graph is refused`() {
        let wrong: [(DiagramGraph, DiagramRefusal)] = [
            (DiagramGraph(nodes: [node("a"), node("a")]), .duplicateNode("a")),
            (DiagramGraph(nodes: [node("a", in: "b")]), .unknownParent(node: "a", parent: "b")),
            (DiagramGraph(nodes: [node("a", in: "a")]), .circularParents(node: "a")),
            (
                DiagramGraph(nodes: [node("a", in: "b"), node("b", in: "a")]),
                .circularParents(node: "a")
            ),
            (
                DiagramGraph(nodes: [node("a")], edges: [edge("a", "b")]),
                .unknownEnd(edge: "a-b", node: "b")
            ),
            (
                DiagramGraph(nodes: [node("a")], edges: [edge("c", "a")]),
                .unknownEnd(edge: "c-a", node: "c")
            ),
        ]
        for (graph, refusal) in wrong {
            #expect(throws: refusal) { try DiagramLayout.lay(graph) }
        }
    }

    @Test func `edges past too many nodes are refused before they are laid out`() throws {
        // Each node leads to all after it.
        func graph(_ count: Int) -> DiagramGraph {
            let ids = (0..<count).map { "n\($0)" }
            let edges = ids.indices.flatMap { from in
                ids[(from + 1)...].map { edge(ids[from], $0) }
            }
            return DiagramGraph(nodes: ids.map { node($0) }, edges: edges)
        }
        #expect(try DiagramLayout.lay(graph(32)).paths.count == 496)
        // A way through all nodes, and edges around most of it.
        let nodes = (0..<DiagramLimits.nodesMax).map { node("n\($0)") }
        let links = (0..<511).map { edge("n\($0)", "n\($0 + 1)") }
        let dense = DiagramGraph(
            nodes: nodes, edges: links + (0..<250).map { edge("n\($0)", "n\(511 - $0)") })
        #expect(throws: DiagramRefusal.tooDense) { try DiagramLayout.lay(dense) }
    }

    @Test func `nodes can be 64 levels deep`() throws {
        let levels = DiagramLimits.levelsMax
        let nodes = (0...levels).map { node("n\($0)", in: $0 == 0 ? nil : "n\($0 - 1)") }
        let diagram = try DiagramLayout.lay(DiagramGraph(nodes: nodes))
        #expect(diagram.boxes.count == 65)
        let deeper = nodes + [node("more", in: "n\(levels)")]
        #expect(throws: DiagramRefusal.tooDeep(node: "more")) {
            try DiagramLayout.lay(DiagramGraph(nodes: deeper))
        }
    }

    @Test func `refusals are sentences`() {
        #expect(
            DiagramRefusal.tooManyNodes(600).description
                == "the graph has 600 nodes; 512 can be drawn")
        #expect(
            DiagramRefusal.unknownEnd(edge: "e", node: "n").description
                == "an end of edge e, n, is not in the graph")
    }
}
