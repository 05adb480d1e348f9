/// The layers of a node's children, by longest paths, then nearer to their neighbours.
///
/// Layer 0 and the last one are the container's ports and have no children. A labelled piece spans
/// at least two layers, so that there is one for its label.
struct Layering {
    private struct Link {
        let from: Int
        let to: Int
        let span: Int
    }

    /// The layers of the children, in their order.
    private(set) var layers: [Int]
    /// The layer of the ports on the last side.
    private(set) var last = 1
    private var links: [Link] = []
    /// Least layers by pieces from ports on the first side.
    private var floors: [Int]
    /// Least layers between a child and the last layer.
    private var heights: [Int]
    /// Pieces from and to ports, which pull a child.
    private var pullsUp: [Int]
    private var pullsDown: [Int]
    private let isolatedPerLayer: Int
    private var isolated: [Int] = []

    init(_ container: Int, of graph: NestedGraph) {
        let children = graph.children[container]
        let places = Dictionary(uniqueKeysWithValues: children.enumerated().map { ($1, $0) })
        layers = Array(repeating: 1, count: children.count)
        floors = layers
        heights = layers
        pullsUp = Array(repeating: 0, count: children.count)
        pullsDown = pullsUp
        var isLinked = Array(repeating: false, count: children.count)
        for number in graph.piecesInside[container] {
            let piece = graph.pieces[number]
            let span = piece.isLabelled ? 2 : 1
            let from = places[graph.ports[piece.upper].owner]
            let to = places[graph.ports[piece.lower].owner]
            if let from { isLinked[from] = true }
            if let to { isLinked[to] = true }
            switch (from, to) {
            case (let from?, let to?): links.append(Link(from: from, to: to, span: span))
            case (nil, let to?):
                floors[to] = max(floors[to], span)
                pullsUp[to] += 1
            case (let from?, nil):
                heights[from] = max(heights[from], span)
                pullsDown[from] += 1
            case (nil, nil): break
            }
        }
        let isParallel = container != graph.root && graph.source.nodes[container].kind == .parallel
        if !isParallel { isolated = children.indices.filter { !isLinked[$0] } }
        // About as wide as high, since boxes are wider than high.
        isolatedPerLayer = max(1, Int((Double(isolated.count) * 0.7).squareRoot().rounded(.up)))
    }

    mutating func assign() {
        var leaving: [[Link]] = Array(repeating: [], count: layers.count)
        var entering = leaving
        for link in links {
            leaving[link.from].append(link)
            entering[link.to].append(link)
        }
        let sorted = topological(leaving, entering)
        for child in sorted {
            layers[child] = entering[child].reduce(floors[child]) {
                max($0, layers[$1.from] + $1.span)
            }
        }
        for (index, child) in isolated.enumerated() { layers[child] = 1 + index / isolatedPerLayer }
        last = layers.indices.reduce(1) { max($0, layers[$1] + heights[$1]) }
        shorten(sorted, leaving, entering)
        last = layers.indices.reduce(1) { max($0, layers[$1] + heights[$1]) }
    }

    // MARK: Shortening

    /// Moves children, with those that would be in the way, as long as edges get shorter in sum.
    private mutating func shorten(_ sorted: [Int], _ leaving: [[Link]], _ entering: [[Link]]) {
        for _ in 0..<DiagramLimits.layeringRoundsMax {
            var hasMoved = false
            for child in sorted.reversed() where !leaving[child].isEmpty || pullsDown[child] > 0 {
                while moveDown(child, leaving, entering) { hasMoved = true }
            }
            for child in sorted where !entering[child].isEmpty || pullsUp[child] > 0 {
                while moveUp(child, leaving, entering) { hasMoved = true }
            }
            if !hasMoved { break }
        }
    }

    /// Moves a child down by as much as changes nothing else.
    ///
    /// - Returns: Whether that made edges shorter in sum.
    private mutating func moveDown(
        _ child: Int, _ leaving: [[Link]], _ entering: [[Link]]
    ) -> Bool {
        var group = [child]
        var isInside = Array(repeating: false, count: layers.count)
        isInside[child] = true
        var next = 0
        while next < group.count {
            let member = group[next]
            guard layers[member] + heights[member] < last else { return false }
            for link in leaving[member] where !isInside[link.to] {
                guard layers[link.to] - layers[member] == link.span else { continue }
                isInside[link.to] = true
                group.append(link.to)
            }
            next += 1
        }
        var gain = 0
        var slack = Int.max
        for member in group {
            gain += pullsDown[member] - pullsUp[member]
            gain -= entering[member].count { !isInside[$0.from] }
            slack = min(slack, last - heights[member] - layers[member])
            for link in leaving[member] where !isInside[link.to] {
                gain += 1
                slack = min(slack, layers[link.to] - layers[member] - link.span)
            }
        }
        guard gain > 0 else { return false }
        for member in group { layers[member] += slack }
        return true
    }

    /// Moves a child up by as much as changes nothing else.
    ///
    /// - Returns: Whether that made edges shorter in sum.
    private mutating func moveUp(
        _ child: Int, _ leaving: [[Link]], _ entering: [[Link]]
    ) -> Bool {
        var group = [child]
        var isInside = Array(repeating: false, count: layers.count)
        isInside[child] = true
        var next = 0
        while next < group.count {
            let member = group[next]
            guard layers[member] > floors[member] else { return false }
            for link in entering[member] where !isInside[link.from] {
                guard layers[member] - layers[link.from] == link.span else { continue }
                isInside[link.from] = true
                group.append(link.from)
            }
            next += 1
        }
        var gain = 0
        var slack = Int.max
        for member in group {
            gain += pullsUp[member] - pullsDown[member]
            gain -= leaving[member].count { !isInside[$0.to] }
            slack = min(slack, layers[member] - floors[member])
            for link in entering[member] where !isInside[link.from] {
                gain += 1
                slack = min(slack, layers[member] - layers[link.from] - link.span)
            }
        }
        guard gain > 0 else { return false }
        for member in group { layers[member] -= slack }
        return true
    }

    /// The children, each before those it leads to.
    private func topological(_ leaving: [[Link]], _ entering: [[Link]]) -> [Int] {
        var waiting = entering.map(\.count)
        var sorted = layers.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < sorted.count {
            for link in leaving[sorted[next]] {
                waiting[link.to] -= 1
                if waiting[link.to] == 0 { sorted.append(link.to) }
            }
            next += 1
        }
        precondition(sorted.count == layers.count, "cycles were broken before")
        return sorted
    }
}
