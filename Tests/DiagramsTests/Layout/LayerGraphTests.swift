import Testing

@testable import Diagrams

@Suite("Layers inside nodes")
struct LayerGraphTests {
    private func nested(_ text: String) throws -> NestedGraph {
        let chart = try #require(CorpusChart.read("# chart\n" + text).first)
        var graph = try NestedGraph(chart.graph)
        graph.direct()
        return graph
    }

    @Test func `an edge is cut at the borders that it crosses`() throws {
        let graph = try nested(
            """
            one {
              two {
                a
              }
            }
            three {
              b
            }
            a -> b : GO
            """)
        let owners = graph.bundles[0].ports.map { graph.source.nodes[graph.ports[$0].owner].id }
        #expect(owners == ["a", "two", "one", "three", "b"])
        #expect(
            graph.bundles[0].pieces.map { graph.pieces[$0].isLabelled } == [
                false, false, true, false,
            ])
        #expect(
            graph.bundles[0].ports.map { graph.ports[$0].isFirst } == [
                false, false, false, true, true,
            ])
        #expect(
            graph.containers.map { $0 == graph.root ? "" : graph.source.nodes[$0].id } == [
                "", "one", "three", "two",
            ])
    }

    @Test func `an edge that closes a cycle is drawn backwards`() throws {
        let graph = try nested("*a\nb\nc\na -> b\nb -> c\nc -> a")
        #expect(graph.bundles.map(\.isReversed) == [false, false, true])
    }

    @Test func `a labelled edge spans two layers`() throws {
        let graph = try nested("*a\nb\nc\na -> b : GO\nb -> c")
        var layering = Layering(graph.root, of: graph)
        layering.assign()
        #expect(layering.layers == [1, 3, 4])
        let layers = try LayerGraph(graph.root, of: graph)
        #expect(layers.order.map(\.count) == [0, 1, 1, 1, 1, 0])
        #expect(layers.vertices.contains(.label(piece: 0)))
    }

    @Test func `segments of a vertex stand together`() {
        let link = LayerOrder.Link(vertex: 4, ownRank: 0, rank: 0, fraction: 0.5)
        let table = LinkTable([[], [link, link], [link]])
        #expect((0..<3).map { table[$0].count } == [0, 2, 1])
    }

    @Test func `a swap's gain is what it saves in crossings`() {
        func link(_ vertex: Int32) -> LayerOrder.Link {
            LayerOrder.Link(vertex: vertex, ownRank: 0, rank: 0, fraction: 0.5)
        }
        let table = LinkTable([[link(5), link(3)], [link(4)], [], [], [], []])
        var keys = NeighbourKeys()
        keys.fill([0, 1], table, [0, 1, 0, 0, 1, 2])
        #expect(keys.gain(0) == 0)
        keys.fill([0, 1, 2], table, [0, 1, 2, 1, 0, 2])
        #expect(keys.gain(0) == 2)
        keys.swap(0)
        #expect(keys.gain(0) == -2)
        #expect(keys.gain(1) == 0)
    }

    @Test func `swaps and sweeps undo a crossing`() throws {
        let graph = try nested("a\nb\nc\nd\na -> d\nb -> c")
        var order = LayerOrder(
            try LayerGraph(graph.root, of: graph), isFixed: Array(repeating: false, count: 4)
        ) { _ in (0, 1) }
        #expect(order.crossings() == 1)
        #expect(order.search().map(\.count) == [0, 2, 2, 0])
        #expect(order.crossings() == 0)
    }

    @Test func `neighbours keep their gap, and long edges are straight`() {
        let box = LayerPlacement.Extent(before: 20, after: 20, kind: .box)
        let bend = LayerPlacement.Extent()
        var placement = LayerPlacement(
            order: [[0], [1, 2], [3]], extents: [box, box, bend, box],
            links: [(0, 2), (2, 3), (0, 1)].map {
                LayerPlacement.Link(
                    upper: $0, lower: $1, upperOffset: 0, lowerOffset: 0, weight: 1)
            }, pulls: [:], title: nil, places: nil)
        placement.solve(isRefined: false)
        let places = placement.places
        #expect(places[2] - places[1] >= LayerPlacement.gap(box, bend) - 0.5)
        placement.straighten([
            LayerPlacement.Chain(vertices: [2], upperEnd: nil, lowerEnd: places[3])
        ])
        #expect(placement.places[2] >= places[1] + LayerPlacement.gap(box, bend) - 0.5)
    }

    @Test func `a container has room for what is inside`() throws {
        let graph = try nested("outer {\n*a\nb\n}\na -> b : GO\nouter -> a : IN")
        let ordered = try OrderedGraph(graph)
        for flow in [Flow.down, .right] {
            let sized = SizedGraph(ordered, DiagramTexts(graph), flow)
            let plan: ContainerPlan = try #require(sized.plans[0])
            let all = FlowFrame(crossSize: plan.crossSize, flowSize: plan.flowSize)
            for frame in plan.children.values {
                #expect(frame.cross >= 0 && frame.crossEnd <= all.crossEnd)
                #expect(frame.flow >= 0 && frame.flowEnd <= all.flowEnd)
            }
            let diagram = DiagramComposer(sized).compose()
            #expect(diagram.boxes.map(\.node) == ["outer", "a", "b"])
        }
    }
}
