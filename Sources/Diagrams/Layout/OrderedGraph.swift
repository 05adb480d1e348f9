/// A nested graph with the layers of every container and the order in each: all of a layout that
/// doesn't depend on sizes, and so is the same from top to bottom and from left to right.
struct OrderedGraph {
    let graph: NestedGraph
    /// The containers from the outside in.
    let containers: [Int]
    /// The layers of each container that isn't a row of regions.
    private(set) var layers: [Int: LayerGraph] = [:]
    /// The ports on each node's first side, in order, if it is a container.
    private(set) var firstPorts: [[Int]]
    /// The ports on each node's last side, in order.
    private(set) var lastPorts: [[Int]]
    private var ranks: [Int]
    private var isGiven: [Bool]

    /// - Parameter graph: With directions.
    /// - Throws: ``DiagramRefusal/tooDense``.
    init(_ graph: NestedGraph) throws(DiagramRefusal) {
        self.graph = graph
        containers = graph.containers
        ranks = Array(repeating: 0, count: graph.ports.count)
        isGiven = Array(repeating: false, count: graph.root + 1)
        firstPorts = graph.portsOf.map { $0.filter { graph.ports[$0].isFirst } }
        lastPorts = graph.portsOf.map { $0.filter { !graph.ports[$0].isFirst } }
        var passagesLeft = DiagramLimits.passagesMax
        for container in containers.reversed() {
            if !graph.isRow(container) {
                let inside = try LayerGraph(container, of: graph, passagesMax: passagesLeft)
                passagesLeft -= inside.segments.count
                layers[container] = inside
            }
            order(container)
        }
        // Once more, with the order of ports that the outside wants.
        var hasChanged: Set<Int> = []
        for container in containers.dropFirst() where wish(container) {
            hasChanged.insert(container)
        }
        for container in containers.reversed() {
            isGiven[container] = container != graph.root
            guard
                hasChanged.contains(container)
                    || graph.children[container].contains(where: hasChanged.contains)
            else { continue }
            order(container, isRefined: true)
        }
    }

    /// The rank of a port on its owner's side, and the number of ports there. Where nothing is
    /// inside, ports take the order that suits the outside: all have the same rank.
    func rank(_ port: Int) -> (rank: Int, count: Int) {
        let owner = graph.ports[port].owner
        guard graph.isContainer(owner) else { return (0, 1) }
        let side = graph.ports[port].isFirst ? firstPorts[owner] : lastPorts[owner]
        return (ranks[port], side.count)
    }

    /// Orders a container's layers and, if nothing says otherwise, its ports.
    private mutating func order(_ container: Int, isRefined: Bool = false) {
        guard var inside = layers[container] else {
            if !isGiven[container] { orderRow(container) }
            return
        }
        var isFixed = Array(repeating: false, count: inside.order.count)
        if isGiven[container] {
            isFixed[0] = true
            isFixed[isFixed.count - 1] = true
            inside.sortPorts { ranks[$0] }
        }
        var search = LayerOrder(inside, isFixed: isFixed) { rank($0) }
        inside.order = search.search(isRefined: isRefined)
        layers[container] = inside
        guard container != graph.root, !isGiven[container] else { return }
        set(container, inside.ports(in: 0), inside.ports(in: inside.order.count - 1))
    }

    /// The ports of a row are those of its regions, one region after the other.
    private mutating func orderRow(_ container: Int) {
        let inner = innerPorts(ofRow: container)
        func sorted(_ ports: [Int]) -> [Int] {
            ports.sorted { rowKey($0, inner) < rowKey($1, inner) }
        }
        set(container, sorted(firstPorts[container]), sorted(lastPorts[container]))
    }

    private func rowKey(_ port: Int, _ inner: [Int: Int]) -> (Int, Int) {
        guard let inside = inner[port] else { return (.max, port) }
        return (graph.ports[inside].owner, ranks[inside])
    }

    /// The regions' ports by the ports of the row around them.
    func innerPorts(ofRow container: Int) -> [Int: Int] {
        var inner: [Int: Int] = [:]
        for number in graph.piecesInside[container] {
            let piece = graph.pieces[number]
            if graph.ports[piece.upper].owner == container {
                inner[piece.upper] = piece.lower
            } else {
                inner[piece.lower] = piece.upper
            }
        }
        return inner
    }

    private mutating func set(_ container: Int, _ first: [Int], _ last: [Int]) {
        firstPorts[container] = first
        lastPorts[container] = last
        for (rank, port) in first.enumerated() { ranks[port] = rank }
        for (rank, port) in last.enumerated() { ranks[port] = rank }
    }

    /// Orders a container's ports by what they lead to outside.
    ///
    /// - Returns: Whether that is another order than before.
    private mutating func wish(_ container: Int) -> Bool {
        guard !graph.portsOf[container].isEmpty else { return false }
        let wishes = outsidePlaces(around: graph.parents[container])
        let isRow = graph.isRow(container)
        let inner = isRow ? innerPorts(ofRow: container) : [:]
        func sorted(_ ports: [Int]) -> [Int] {
            // A port that leads nowhere outside stays behind the one that is before it.
            var last = -1.0
            let keyed = ports.enumerated().map { rank, port in
                last = wishes[port] ?? last
                let region = inner[port].map { graph.ports[$0].owner } ?? -1
                return (region: region, key: last, rank: rank, port: port)
            }
            var result = keyed.filter { !isRow || $0.region >= 0 }.sorted {
                ($0.region, $0.key, $0.rank) < ($1.region, $1.key, $1.rank)
            }
            // Ports of a row that lead to no region stand between the others.
            let free = keyed.filter { isRow && $0.region < 0 }
            for item in free.sorted(by: { ($0.key, $0.rank) < ($1.key, $1.rank) }) {
                let place = result.firstIndex { $0.key > item.key }
                result.insert(item, at: place ?? result.count)
            }
            return result.map(\.port)
        }
        let first = sorted(firstPorts[container])
        let last = sorted(lastPorts[container])
        let isSame = first == firstPorts[container] && last == lastPorts[container]
        set(container, first, last)
        return !isSame
    }

    /// The places of what the children's ports lead to, within its layer.
    private func outsidePlaces(around container: Int) -> [Int: Double] {
        var result: [Int: Double] = [:]
        guard let inside = layers[container] else {
            for (outer, inner) in innerPorts(ofRow: container) {
                result[inner] = Double(ranks[outer])
            }
            return result
        }
        var places = Array(repeating: 0, count: inside.vertices.count)
        for vertices in inside.order {
            for (place, vertex) in vertices.enumerated() { places[vertex] = place }
        }
        func place(_ vertex: Int, _ port: Int?) -> Double {
            if case .port(let own) = inside.vertices[vertex] { return Double(ranks[own]) + 0.5 }
            let (rank, count) = port.map(rank) ?? (rank: 0, count: 1)
            return Double(places[vertex]) + (Double(rank) + 0.5) / Double(count)
        }
        for segment in inside.segments {
            if let port = segment.upperPort {
                result[port] = place(segment.lower, segment.lowerPort)
            }
            if let port = segment.lowerPort {
                result[port] = place(segment.upper, segment.upperPort)
            }
        }
        return result
    }
}
