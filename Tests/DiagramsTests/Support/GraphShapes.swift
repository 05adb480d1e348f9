@testable import Diagrams

/// Graphs of regular shapes, and random ones with a seed.
enum GraphShapes {
    /// A few of each shape, with a name.
    static var all: [CorpusChart] {
        let flat: [(String, [(Int, Int)], Int)] = [
            ("nothing", [], 0), ("one", [], 1), ("loop", [(0, 0)], 1), ("isolated", [], 12),
            ("chain", (0..<7).map { ($0, $0 + 1) }, 8),
            ("ring", (0..<8).map { ($0, ($0 + 1) % 8) }, 8),
            ("both ways", (0..<5).flatMap { [($0, $0 + 1), ($0 + 1, $0)] }, 6),
            ("star", (1..<12).map { (0, $0) }, 12), ("sink", (1..<12).map { ($0, 0) }, 12),
            ("tree", (1..<15).map { (($0 - 1) / 2, $0) }, 15),
            ("complete", (0..<6).flatMap { a in (0..<6).map { (a, $0) } }, 6),
            ("bipartite", (0..<4).flatMap { a in (4..<9).map { (a, $0) } }, 9),
            ("grid", (0..<12).flatMap { [($0, $0 + 1), ($0, $0 + 4)] }.filter { $1 < 12 }, 12),
            ("parts", [(0, 1), (2, 3), (3, 2), (4, 5), (5, 6)], 8),
            ("long way", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (5, 0), (0, 3)], 6),
            ("ladder", (0..<5).flatMap { [($0, $0 + 6), ($0, $0 + 1), ($0 + 6, $0 + 7)] }, 12),
            ("wheel", (1..<8).flatMap { [(0, $0), ($0, $0 % 7 + 1)] }, 8),
            ("two rings", (0..<10).map { ($0, $0 % 5 == 4 ? $0 - 4 : $0 + 1) } + [(2, 7)], 10),
            ("diamonds", [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6)], 7),
            ("all back", (1..<9).map { ($0, $0 - 1) }, 9),
            ("all to all but one", (1..<6).flatMap { [(0, $0), ($0, 0), ($0, 6)] }, 7),
            ("many between two", (0..<14).map { _ in (0, 1) }, 2),
            ("many loops", (0..<9).map { _ in (0, 0) }, 1),
        ]
        return flat.map { name, links, count in
            CorpusChart(name: name, graph: graph(count, links))
        } + [nested(levels: 3), nested(levels: 6), wide(regions: 2), wide(regions: 7)]
    }

    private static func graph(_ count: Int, _ links: [(Int, Int)]) -> DiagramGraph {
        DiagramGraph(
            nodes: (0..<count).map {
                DiagramGraph.Node(id: "s\($0)", label: "state \($0)", isInitial: $0 == 0)
            },
            edges: links.enumerated().map { number, link in
                DiagramGraph.Edge(
                    id: "e\(number)", from: "s\(link.0)", to: "s\(link.1)",
                    event: number % 3 == 2 ? "" : "EVENT_\(number)",
                    guardText: number % 4 == 0 ? "n > \(number)" : nil)
            })
    }

    private static func nested(levels: Int) -> CorpusChart {
        var graph = DiagramGraph()
        for level in 0..<levels {
            let parent = level == 0 ? nil : "c\(level - 1)"
            graph.nodes.append(
                DiagramGraph.Node(
                    id: "c\(level)", parent: parent, kind: .compound, label: "level \(level)",
                    isInitial: level % 2 == 0))
            graph.nodes.append(
                DiagramGraph.Node(id: "s\(level)", parent: parent, label: "at \(level)"))
            graph.edges += [
                DiagramGraph.Edge(id: "in\(level)", from: "s0", to: "s\(level)", event: "IN"),
                DiagramGraph.Edge(id: "out\(level)", from: "s\(level)", to: "s0", event: "OUT"),
                DiagramGraph.Edge(
                    id: "inner\(level)", from: "c\(level)", to: "s\(levels - 1)", event: "DEEP"),
                DiagramGraph.Edge(
                    id: "outer\(level)", from: "s\(levels - 1)", to: "c\(level)", event: "UP"),
            ]
        }
        return CorpusChart(name: "nested \(levels)", graph: graph)
    }

    private static func wide(regions: Int) -> CorpusChart {
        var graph = DiagramGraph(
            nodes: [
                DiagramGraph.Node(id: "before", label: "before", isInitial: true),
                DiagramGraph.Node(id: "all", kind: .parallel, label: "a parallel state"),
                DiagramGraph.Node(id: "after", kind: .final, label: "after"),
            ],
            edges: [
                DiagramGraph.Edge(id: "go", from: "before", to: "all", event: "GO"),
                DiagramGraph.Edge(id: "end", from: "all", to: "after", kind: .done),
            ])
        for region in 0..<regions {
            graph.nodes.append(
                DiagramGraph.Node(
                    id: "r\(region)", parent: "all", kind: .region, label: "region \(region)"))
            for state in 0...(region % 3) {
                graph.nodes.append(
                    DiagramGraph.Node(
                        id: "r\(region)s\(state)", parent: "r\(region)", label: "s\(state)",
                        isInitial: state == 0))
            }
            graph.edges += [
                DiagramGraph.Edge(id: "x\(region)", from: "r\(region)s0", to: "after"),
                DiagramGraph.Edge(
                    id: "y\(region)", from: "before", to: "r\(region)s0", event: "TO"),
            ]
        }
        return CorpusChart(name: "wide \(regions)", graph: graph)
    }

    /// A random graph: of flat states, or with states inside of states.
    static func random(seed: UInt64, nodes: Int, edges: Int, isNested: Bool) -> DiagramGraph {
        var generator = SeededShuffle(seed: seed)
        func draw(_ bound: Int) -> Int { Int(generator.next() % UInt64(max(1, bound))) }
        var graph = DiagramGraph()
        for number in 0..<nodes {
            var node = DiagramGraph.Node(
                id: "n\(number)", label: String(repeating: "x", count: 1 + draw(14)),
                isInitial: draw(4) == 0)
            if isNested, number > 0, draw(10) < 6 {
                let outer = max(0, number - 1 - draw(8))
                node.parent = "n\(outer)"
                if graph.nodes[outer].kind == .atomic {
                    graph.nodes[outer].kind = draw(4) == 0 ? .parallel : .compound
                }
            } else if draw(12) == 0 {
                node.kind = [.final, .history, .any, .deepHistory][draw(4)]
            }
            graph.nodes.append(node)
        }
        for number in 0..<(nodes == 0 ? 0 : edges) {
            let from = draw(nodes)
            let near = min(nodes - 1, max(0, from + draw(13) - 5))
            graph.edges.append(
                DiagramGraph.Edge(
                    id: "e\(number)", from: "n\(from)",
                    to: "n\(draw(5) == 0 ? draw(nodes) : near)",
                    event: draw(4) == 0 ? "" : String(repeating: "E", count: 1 + draw(12)),
                    guardText: draw(5) == 0 ? "a < b" : nil,
                    kind: DiagramGraph.Edge.Kind.allCases[draw(9)]))
        }
        return graph
    }
}
