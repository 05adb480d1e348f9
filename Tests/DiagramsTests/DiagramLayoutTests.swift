import Testing

@testable import Diagrams

@Suite("Layouts of graphs")
struct DiagramLayoutTests {
    // Without files there are no charts, which the first test reports.
    static let charts = (try? CorpusChart.all()) ?? []

    @Test func `the corpus is there`() throws {
        let charts = try CorpusChart.all()
        #expect(charts.count + GraphShapes.all.count >= 60)
        #expect(Set(charts.map(\.name)).count == charts.count)
    }

    @Test(arguments: charts + GraphShapes.all)
    func `charts are drawn without faults, both ways`(chart: CorpusChart) throws {
        for diagram in try DiagramLayout.lay(chart.graph, along: [.down, .right]) {
            #expect(DrawingCheck(chart.graph, diagram).problems == [])
        }
    }

    /// The seed is the test's argument: `swift test --filter DiagramLayoutTests` repeats it.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `random graphs are drawn without faults, both ways`(seed: UInt64) throws {
        let count = Int(seed % 15) * 2 + 2
        let graph = GraphShapes.random(
            seed: seed, nodes: count, edges: count + Int(seed % 7) * 3,
            isNested: seed % 3 != 0)
        for diagram in try DiagramLayout.lay(graph, along: [.down, .right]) {
            #expect(DrawingCheck(graph, diagram).problems == [])
        }
    }

    @Test func `faults are found`() throws {
        let chart = try #require(GraphShapes.all.first { $0.name == "nested 3" })
        let diagram = try DiagramLayout.lay(chart.graph)
        func problems(_ change: (inout Diagram) -> Void) -> [String] {
            var changed = diagram
            change(&changed)
            return DrawingCheck(chart.graph, changed).problems
        }
        #expect(problems { _ in } == [])
        #expect(problems { $0.boxes[1].frame = $0.boxes[0].frame } != [])
        #expect(problems { $0.boxes.removeLast() } != [])
        #expect(problems { $0.labels[0].frame = $0.labels[1].frame } != [])
        #expect(problems { $0.labels[0].frame = $0.boxes[2].frame } != [])
        #expect(problems { $0.paths[0].start.x += 1000 } != [])
        #expect(problems { $0.paths.removeLast() } != [])
        #expect(problems { $0.width /= 2 } != [])
    }

    @Test func `the same graph has the same drawing`() throws {
        for chart in Self.charts.prefix(12) {
            let first = try DiagramLayout.lay(chart.graph)
            let second = try DiagramLayout.lay(chart.graph)
            #expect(first == second)
            #expect(DiagramSVG.write(first, title: "t") == DiagramSVG.write(second, title: "t"))
        }
    }

    @Test func `edges with equal ends are one path, and the rest of them is counted`() throws {
        let chart = try #require(GraphShapes.all.first { $0.name == "many between two" })
        let diagram = try DiagramLayout.lay(chart.graph)
        #expect(diagram.paths.count == 1)
        let lines = try #require(diagram.labels.first).lines
        let labelled = chart.graph.edges.filter { !$0.label.isEmpty }.count
        #expect(lines.count == DiagramLimits.labelLinesMax + 1)
        #expect(lines.last?.text == "+\(labelled - DiagramLimits.labelLinesMax) more")
    }

    @Test(arguments: [
        ([DiagramGraph.Edge.Kind.observed, .external], DiagramGraph.Edge.Kind.external),
        ([.observed, .computed], .observed), ([.after, .external], .after),
    ])
    func `a path is observed only if all its edges are`(
        kinds: [DiagramGraph.Edge.Kind], kind: DiagramGraph.Edge.Kind
    ) throws {
        let graph = DiagramGraph(
            nodes: ["a", "b"].map { DiagramGraph.Node(id: $0, label: $0) },
            edges: kinds.enumerated().map {
                DiagramGraph.Edge(id: "e\($0)", from: "a", to: "b", kind: $1)
            })
        #expect(try DiagramLayout.lay(graph).paths.map(\.kind) == [kind])
    }

    @Test func `regions stand side by side`() throws {
        let chart = try #require(GraphShapes.all.first { $0.name == "wide 7" })
        for diagram in try DiagramLayout.lay(chart.graph, along: [.down, .right]) {
            let regions = diagram.boxes.filter { $0.kind == .region }
            #expect(!regions.contains { !$0.isBorderless })
            #expect(diagram.separators.count == regions.count)
            for (left, right) in zip(regions, regions.dropFirst()) {
                #expect(left.frame.maxX == right.frame.x || left.frame.maxY == right.frame.y)
            }
        }
    }

    @Test func `a drawing has the shape that is nearer to 16 to 10`() throws {
        let chart = try #require(GraphShapes.all.first { $0.name == "star" })
        func distance(_ diagram: Diagram) -> Double {
            let ratio = diagram.width / diagram.height / 1.6
            return max(ratio, 1 / ratio)
        }
        let both = try DiagramLayout.lay(chart.graph, along: [.down, .right]).map(distance)
        let chosen = try DiagramLayout.lay(chart.graph)
        #expect(distance(chosen) == both.min())
    }

    @Test func `a tree has no crossings`() throws {
        let chart = try #require(GraphShapes.all.first { $0.name == "tree" })
        var nested = try NestedGraph(chart.graph)
        nested.direct()
        let ordered = try OrderedGraph(nested)
        let layers = try #require(ordered.layers[nested.root])
        var order = LayerOrder(layers, isFixed: layers.order.map { _ in true }) {
            ordered.rank($0)
        }
        #expect(order.crossings() == 0)
    }
}
