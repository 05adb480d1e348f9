/// A graph with numbers for ids, its edges merged and cut at the borders that they cross.
///
/// An edge is a row of *pieces*, each within one node, from *port* to port: places on borders. The
/// piece in the nearest common node has the label.
struct NestedGraph {
    /// Edges with equal ends.
    struct Bundle {
        let from: Int
        let to: Int
        /// The edges' numbers.
        var edges: [Int]
        /// From the first node's port to the second one's.
        var ports: [Int] = []
        /// Between each two ports.
        var pieces: [Int] = []
        /// Whether it is drawn against the layers' direction.
        var isReversed = false
    }

    /// A place on a node's border.
    struct Port {
        let owner: Int
        let bundle: Int
        /// Whether it is on the first side in the direction of layers, or else on the last one.
        var isFirst = false
    }

    /// A bundle's part within one node. Once directions are known, `upper` comes first in the
    /// layers.
    struct Piece {
        let bundle: Int
        let container: Int
        var upper: Int
        var lower: Int
        let isLabelled: Bool
    }

    let source: DiagramGraph
    /// The node around everything, which isn't drawn.
    let root: Int
    private(set) var parents: [Int]
    private(set) var children: [[Int]]
    /// The nodes around a node, the root among them.
    private(set) var depths: [Int]
    var bundles: [Bundle] = []
    /// The bundles from nodes to themselves.
    private(set) var loops: [Int: Int] = [:]
    var ports: [Port] = []
    var pieces: [Piece] = []
    /// The pieces in each node.
    private(set) var piecesInside: [[Int]]
    /// The ports on each node's border.
    private(set) var portsOf: [[Int]]

    /// - Throws: ``DiagramRefusal``: all but ``DiagramRefusal/duplicateNode(_:)``'s like.
    init(_ graph: DiagramGraph) throws(DiagramRefusal) {
        let count = graph.nodes.count
        guard count <= DiagramLimits.nodesMax else { throw .tooManyNodes(count) }
        guard graph.edges.count <= DiagramLimits.edgesMax else {
            throw .tooManyEdges(graph.edges.count)
        }
        source = graph
        root = count
        parents = Array(repeating: count, count: count + 1)
        children = Array(repeating: [], count: count + 1)
        depths = Array(repeating: 0, count: count + 1)
        piecesInside = Array(repeating: [], count: count + 1)
        portsOf = Array(repeating: [], count: count + 1)
        var numbers: [String: Int] = [:]
        for (number, node) in graph.nodes.enumerated() {
            guard numbers.updateValue(number, forKey: node.id) == nil else {
                throw .duplicateNode(node.id)
            }
        }
        try nest(numbers)
        try bundle(numbers)
        for number in bundles.indices where bundles[number].from != bundles[number].to {
            cut(number)
        }
    }

    /// Whether a node is laid out as one with nodes inside. Children of a parallel state are, even
    /// if they have none.
    func isContainer(_ node: Int) -> Bool {
        node == root || !children[node].isEmpty || isRegion(node)
    }

    /// Whether a node is part of a parallel state.
    func isRegion(_ node: Int) -> Bool {
        guard node != root, parents[node] != root else { return false }
        return source.nodes[parents[node]].kind == .parallel
            && ![.history, .deepHistory].contains(source.nodes[node].kind)
    }

    /// Whether a node's children stand side by side without anything between them.
    func isRow(_ node: Int) -> Bool {
        guard node != root, source.nodes[node].kind == .parallel, !children[node].isEmpty,
            children[node].allSatisfy(isRegion), children[node].allSatisfy({ loops[$0] == nil })
        else { return false }
        return piecesInside[node].allSatisfy {
            !pieces[$0].isLabelled
                && (ports[pieces[$0].upper].owner == node || ports[pieces[$0].lower].owner == node)
        }
    }

    /// The nodes that are laid out as containers, from the outside in.
    var containers: [Int] {
        (0...root).filter(isContainer).sorted {
            depths[$0] == depths[$1]
                ? ($0 == root ? -1 : $0) < ($1 == root ? -1 : $1) : depths[$0] < depths[$1]
        }
    }

    // MARK: Making

    private mutating func nest(_ numbers: [String: Int]) throws(DiagramRefusal) {
        for (number, node) in source.nodes.enumerated() {
            guard let parent = node.parent else { continue }
            guard let outer = numbers[parent] else {
                throw .unknownParent(node: node.id, parent: parent)
            }
            parents[number] = outer
        }
        for (number, node) in source.nodes.enumerated() {
            var depth = 1
            var outer = parents[number]
            while outer != root {
                depth += 1
                guard depth <= source.nodes.count else { throw .circularParents(node: node.id) }
                outer = parents[outer]
            }
            guard depth <= DiagramLimits.levelsMax + 1 else { throw .tooDeep(node: node.id) }
            depths[number] = depth
            children[parents[number]].append(number)
        }
    }

    private mutating func bundle(_ numbers: [String: Int]) throws(DiagramRefusal) {
        struct Ends: Hashable {
            let from: Int
            let to: Int
        }
        var known: [Ends: Int] = [:]
        for (number, edge) in source.edges.enumerated() {
            guard let from = numbers[edge.from] else {
                throw .unknownEnd(edge: edge.id, node: edge.from)
            }
            guard let to = numbers[edge.to] else {
                throw .unknownEnd(edge: edge.id, node: edge.to)
            }
            let ends = Ends(from: from, to: to)
            if let bundle = known[ends] {
                bundles[bundle].edges.append(number)
                continue
            }
            known[ends] = bundles.count
            if from == to { loops[from] = bundles.count }
            bundles.append(Bundle(from: from, to: to, edges: [number]))
        }
    }

    /// Makes the ports and pieces of a bundle.
    private mutating func cut(_ number: Int) {
        let bundle = bundles[number]
        // The nodes from each end to below the nearest common one. If that is an end itself, the
        // edge goes from its border inwards.
        var up = [bundle.from]
        var down = [bundle.to]
        while let first = up.last, let second = down.last, parents[first] != parents[second] {
            if first == parents[second] || second == parents[first] { break }
            if depths[first] >= depths[second] { up.append(parents[first]) }
            if depths[second] > depths[first] { down.append(parents[second]) }
        }
        let isLabelled = bundle.edges.contains { !source.edges[$0].label.isEmpty }
        let owners = up + down.reversed()
        for (index, owner) in owners.enumerated() {
            let port = ports.count
            ports.append(Port(owner: owner, bundle: number))
            portsOf[owner].append(port)
            bundles[number].ports.append(port)
            guard index > 0 else { continue }
            let before = owners[index - 1]
            let container = parents[before] == owner ? owner : parents[owner]
            let piece = pieces.count
            pieces.append(
                Piece(
                    bundle: number, container: container, upper: port - 1, lower: port,
                    isLabelled: isLabelled && index == up.count))
            piecesInside[container].append(piece)
            bundles[number].pieces.append(piece)
        }
    }
}
