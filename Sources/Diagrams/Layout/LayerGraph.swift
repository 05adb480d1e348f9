/// What is inside one node, in layers: children, the node's own ports in the first and the last
/// layer, and places where edges pass through.
struct LayerGraph {
    /// The meaning of a vertex.
    enum Vertex: Hashable {
        /// A node.
        case child(Int)
        /// A port of the container.
        case port(Int)
        /// Where a piece has its bundle's label.
        case label(piece: Int)
        /// Where a piece passes a layer.
        case bend(piece: Int)
    }

    /// A piece's part from one layer to the next.
    struct Segment {
        let upper: Int
        let lower: Int
        /// The port on the upper vertex, if that is a child.
        let upperPort: Int?
        /// The port on the lower vertex, if that is a child.
        let lowerPort: Int?
    }

    let container: Int
    private(set) var vertices: [Vertex] = []
    /// The layer of each vertex.
    private(set) var layers: [Int] = []
    private(set) var segments: [Segment] = []
    /// The vertices of each piece from the upper to the lower end.
    private(set) var chains: [Int: [Int]] = [:]
    /// The vertices in each layer, in order.
    var order: [[Int]] = []

    /// - Throws: ``DiagramRefusal/tooDense`` if it would have more segments than `passagesMax`.
    init(
        _ container: Int, of graph: NestedGraph, passagesMax: Int = DiagramLimits.passagesMax
    ) throws(DiagramRefusal) {
        self.container = container
        var layering = Layering(container, of: graph)
        layering.assign()
        vertices = graph.children[container].map { .child($0) }
        layers = layering.layers
        var vertexOfPort: [Int: Int] = [:]
        for port in container == graph.root ? [] : graph.portsOf[container] {
            vertexOfPort[port] = vertices.count
            vertices.append(.port(port))
            layers.append(graph.ports[port].isFirst ? 0 : layering.last)
        }
        var width = Array(repeating: 0, count: layering.last + 1)
        let places = Dictionary(
            uniqueKeysWithValues: graph.children[container].enumerated().map { ($1, $0) })
        for number in graph.piecesInside[container] {
            let piece = graph.pieces[number]
            let upper = places[graph.ports[piece.upper].owner] ?? vertexOfPort[piece.upper]
            let lower = places[graph.ports[piece.lower].owner] ?? vertexOfPort[piece.lower]
            guard let upper, let lower else {
                preconditionFailure("a piece's ends are in its container or on its border")
            }
            guard segments.count + layers[lower] - layers[upper] <= passagesMax else {
                throw .tooDense
            }
            thread(number, piece, from: upper, to: lower, in: graph, width: &width)
        }
        order = Array(repeating: [], count: layering.last + 1)
        for vertex in vertices.indices { order[layers[vertex]].append(vertex) }
    }

    /// Makes the vertices and segments of a piece.
    ///
    /// - Parameter width: Texts' lengths by layer; a label takes the emptiest layer on its way.
    private mutating func thread(
        _ number: Int, _ piece: NestedGraph.Piece, from upper: Int, to lower: Int,
        in graph: NestedGraph, width: inout [Int]
    ) {
        let between = (layers[upper] + 1)..<max(layers[upper] + 1, layers[lower])
        var labelLayer: Int?
        if piece.isLabelled, !between.isEmpty {
            let middle = (between.lowerBound + between.upperBound - 1) / 2
            let layer = between.min {
                (width[$0], abs($0 - middle)) < (width[$1], abs($1 - middle))
            }
            labelLayer = layer
            let lengths = graph.bundles[piece.bundle].edges.map {
                graph.source.edges[$0].label.utf8.count
            }
            if let layer { width[layer] += lengths.max() ?? 0 }
        }
        var chain = [upper]
        for layer in between {
            chain.append(vertices.count)
            vertices.append(layer == labelLayer ? .label(piece: number) : .bend(piece: number))
            layers.append(layer)
        }
        chain.append(lower)
        chains[number] = chain
        for (first, second) in zip(chain, chain.dropFirst()) {
            segments.append(
                Segment(
                    upper: first, lower: second,
                    upperPort: isChild(first) ? piece.upper : nil,
                    lowerPort: isChild(second) ? piece.lower : nil))
        }
    }

    /// Puts the container's ports in the order of their ranks.
    mutating func sortPorts(rank: (Int) -> Int) {
        func sorted(_ layer: [Int]) -> [Int] {
            layer.sorted { first, second in
                guard case .port(let one) = vertices[first],
                    case .port(let other) = vertices[second]
                else { return false }
                return rank(one) < rank(other)
            }
        }
        order[0] = sorted(order[0])
        order[order.count - 1] = sorted(order[order.count - 1])
    }

    /// The container's ports in a layer, in order.
    func ports(in layer: Int) -> [Int] {
        order[layer].compactMap { vertex in
            if case .port(let port) = vertices[vertex] { port } else { nil }
        }
    }

    private func isChild(_ vertex: Int) -> Bool {
        if case .child = vertices[vertex] { true } else { false }
    }
}
