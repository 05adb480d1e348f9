import Testing
import Transducers

@testable import Diagrams

@Suite("Graphs of machines' diagrams")
struct StateDiagramGraphTests {
    private func node(
        _ id: String, _ kind: StateDiagram.Node.Kind = .state, isActive: Bool = false
    ) -> StateDiagram.Node {
        StateDiagram.Node(id: id, label: "label \(id)", kind: kind, isActive: isActive)
    }

    private func link(
        _ from: String, _ to: String, _ kind: StateDiagram.Link.Kind = .event, event: String = "E"
    ) -> StateDiagram.Link {
        StateDiagram.Link(from: from, to: to, kind, event: event)
    }

    @Test func `a group with a node of its own is that node`() {
        var diagram = StateDiagram(
            nodes: [node("s0", isActive: true), node("s1", .terminal)],
            links: [
                link("s0", "s2"), link("s2", "s3", .initial, event: ""), link("s4", "s1"),
                link("s3", "s4", .always, event: "always"),
                link("s5", "s3", .initial, event: ""),
                link("s0", "s0", event: "done.invoke.x"), link("s0", "s1", event: "error.http"),
            ], initial: "s0")
        diagram.groups = [
            StateDiagram.Group(
                id: "g2", .compound, label: "label s2", own: "s2",
                nodes: [
                    node("s2"), node("s3", isActive: true), node("s4", .final),
                    node("s5", .history(isDeep: true)),
                ], links: [], groups: [])
        ]
        let graph = DiagramGraph(diagram)
        #expect(graph.nodes.map(\.id) == ["s0", "s1", "s2", "s3", "s4", "s5"])
        #expect(graph.nodes.map(\.parent) == [nil, nil, nil, "s2", "s2", "s2"])
        #expect(
            graph.nodes.map(\.kind) == [
                .atomic, .final, .compound, .atomic, .final, .deepHistory,
            ])
        #expect(graph.nodes.filter(\.isInitial).map(\.id) == ["s0", "s3"])
        #expect(graph.edges.map(\.id) == ["e0", "e2", "e3", "e4", "e5", "e6"])
        #expect(
            graph.edges.map(\.kind) == [.external, .external, .always, .initial, .done, .error])
        #expect(graph.edges[2].label == "")
        #expect(DiagramGraph.active(in: diagram) == ["s0", "s3"])
    }

    @Test func `regions of routes, with their arrows, are drawn`() throws {
        var diagram = StateDiagram(
            nodes: [node("any", .any), node("c", .computed)],
            links: [link("any", "r0s0"), link("any", "c", .computed), link("c", "any", .observed)],
            initial: nil)
        diagram.groups = [
            StateDiagram.Group(
                id: "r0", label: "region", nodes: [node("r0s0"), node("r0s1")],
                links: [link("r0s0", "r0s1", .after, event: "after 3s")], groups: [])
        ]
        let graph = DiagramGraph(diagram)
        #expect(graph.nodes.map(\.kind) == [.any, .computed, .region, .atomic, .atomic])
        #expect(graph.edges.map(\.kind) == [.external, .computed, .observed, .after])
        #expect(try DiagramLayout.lay(graph).paths.count == 4)
    }
}
