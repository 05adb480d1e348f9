/// The search for an order of each layer's vertices in which few segments cross: sweeps by
/// barycentre and median, and swaps of neighbours, from several starts (Gansner et al., "A
/// technique for drawing directed graphs", 1993). Later starts are near the best order so far.
struct LayerOrder {
    /// An end of a segment.
    struct Link {
        /// The vertex at the other end.
        let vertex: Int32
        /// The rank of the port on this vertex; 0 if it has none with a place of its own.
        let ownRank: Int32
        /// The rank of the port on the other vertex.
        let rank: Int32
        /// The place of that port within the other vertex, between 0 and 1.
        let fraction: Double
    }

    /// The vertices of each layer, in order.
    private(set) var order: [[Int]]
    private var places: [Int]
    /// The segments of each vertex to the layer before, and to the one after.
    private var before: LinkTable
    private var after: LinkTable
    /// Whether a layer's order is given.
    private let isFixed: [Bool]
    private let segmentCount: Int
    private var scratch = InversionCount()
    private var above = NeighbourKeys()
    private var below = NeighbourKeys()
    private var keyed: [(key: Double, place: Int, vertex: Int)] = []
    private var values: [Double] = []

    /// - Parameter rank: The rank of a port on its owner's side, and the number of ports there.
    init(_ graph: LayerGraph, isFixed: [Bool], rank: (Int) -> (rank: Int, count: Int)) {
        order = graph.order
        places = Array(repeating: 0, count: graph.vertices.count)
        self.isFixed = isFixed
        segmentCount = graph.segments.count
        var before: [[Link]] = Array(repeating: [], count: graph.vertices.count)
        var after = before
        for segment in graph.segments {
            let upper = segment.upperPort.map(rank) ?? (rank: 0, count: 1)
            let lower = segment.lowerPort.map(rank) ?? (rank: 0, count: 1)
            after[segment.upper].append(
                Link(
                    vertex: Int32(segment.lower), ownRank: Int32(upper.rank),
                    rank: Int32(lower.rank),
                    fraction: (Double(lower.rank) + 0.5) / Double(lower.count)))
            before[segment.lower].append(
                Link(
                    vertex: Int32(segment.upper), ownRank: Int32(lower.rank),
                    rank: Int32(upper.rank),
                    fraction: (Double(upper.rank) + 0.5) / Double(upper.count)))
        }
        self.before = LinkTable(before)
        self.after = LinkTable(after)
        for layer in order.indices { place(layer) }
    }

    /// The best order found.
    ///
    /// - Parameter isRefined: Whether the given order is a good one already: then half the time
    ///   will do.
    mutating func search(isRefined: Bool = false) -> [[Int]] {
        guard segmentCount > 1 else { return order }
        let given = order
        if !isRefined { visitDepthFirst() }
        var best = order
        var least = crossings()
        var visits = isRefined ? DiagramLimits.segmentVisitsMax / 2 : 0
        for start in 0..<DiagramLimits.startsMax {
            if start == 1 {
                if isRefined { visitDepthFirst() } else { restore(given) }
            } else if start > 1, start < 5 {
                shuffle(given, seed: UInt64(start))
            } else if start >= 5 {
                disturb(best, seed: UInt64(start))
            }
            improve(&best, &least, &visits)
            if least == 0 || visits > DiagramLimits.segmentVisitsMax { break }
        }
        return best
    }

    /// The crossings in the present order.
    mutating func crossings() -> Int {
        (0..<max(0, order.count - 1)).reduce(0) { $0 + crossings(after: $1) }
    }

    // MARK: Starts

    private mutating func restore(_ given: [[Int]]) {
        order = given
        for layer in order.indices { place(layer) }
    }

    private mutating func shuffle(_ given: [[Int]], seed: UInt64) {
        var generator = SeededShuffle(seed: seed)
        order = given
        for layer in order.indices {
            if !isFixed[layer] { generator.shuffle(&order[layer]) }
            place(layer)
        }
    }

    /// Moves some vertices of an order elsewhere: many good orders are near others.
    private mutating func disturb(_ best: [[Int]], seed: UInt64) {
        var generator = SeededShuffle(seed: seed)
        order = best
        for layer in order.indices where !isFixed[layer] && order[layer].count > 1 {
            let count = UInt64(order[layer].count)
            for _ in 0..<(1 + count / 8) {
                let vertex = order[layer].remove(at: Int(generator.next() % count))
                order[layer].insert(vertex, at: Int(generator.next() % count))
            }
        }
        for layer in order.indices { place(layer) }
    }

    /// Orders vertices as a search from the first layer meets them, so that trees don't cross.
    private mutating func visitDepthFirst() {
        var found: [[Int]] = Array(repeating: [], count: order.count)
        var isFound = Array(repeating: false, count: places.count)
        var layerOf = places
        for (layer, vertices) in order.enumerated() {
            for vertex in vertices { layerOf[vertex] = layer }
        }
        for start in order.joined() where !isFound[start] {
            var open = [start]
            while let vertex = open.popLast() {
                if isFound[vertex] { continue }
                isFound[vertex] = true
                found[layerOf[vertex]].append(vertex)
                for index in before[vertex].reversed() {
                    open.append(Int(before.links[index].vertex))
                }
                for index in after[vertex].reversed() {
                    open.append(Int(after.links[index].vertex))
                }
            }
        }
        for layer in order.indices {
            if !isFixed[layer] { order[layer] = found[layer] }
            place(layer)
        }
    }

    // MARK: Sweeps

    private mutating func improve(
        _ best: inout [[Int]], _ least: inout Int, _ visits: inout Int
    ) {
        var idle = 0
        var own = Int.max
        for sweep in 0..<DiagramLimits.sweepsMax {
            let isMedian = sweep % 4 >= 2
            let isRightFirst = sweep % 2 == 1
            for layer in order.indices.dropFirst() {
                sort(layer, by: before, neighbour: layer - 1, isMedian, isRightFirst)
            }
            for layer in order.indices.dropLast().reversed() {
                sort(layer, by: after, neighbour: layer + 1, isMedian, isRightFirst)
            }
            var pending = Array(repeating: true, count: order.count)
            for _ in 0..<8 {
                if !swapNeighbours(&pending, &visits) { break }
            }
            visits += segmentCount * 2
            let count = crossings()
            if count < own { (own, idle) = (count, 0) } else { idle += 1 }
            if count < least { (least, best) = (count, order) }
            // A start that is far behind another won't overtake it.
            if sweep > 2, own > least + least / 4 + 1 { break }
            if count == 0 || idle > 3 || visits > DiagramLimits.segmentVisitsMax { break }
        }
    }

    private mutating func sort(
        _ layer: Int, by links: LinkTable, neighbour: Int, _ isMedian: Bool, _ isRightFirst: Bool
    ) {
        guard !isFixed[layer], order[layer].count > 1 else { return }
        let scale = Double(order[neighbour].count) / Double(order[layer].count)
        keyed.removeAll(keepingCapacity: true)
        for (place, vertex) in order[layer].enumerated() {
            let own = links[vertex]
            var key = (Double(place) + 0.5) * scale
            if !own.isEmpty {
                if isMedian {
                    key = median(links, own)
                } else {
                    key = 0
                    for index in own {
                        let link = links.links[index]
                        key += Double(places[Int(link.vertex)]) + link.fraction
                    }
                    key /= Double(own.count)
                }
            }
            keyed.append((key, isRightFirst ? -place : place, vertex))
        }
        keyed.sort { ($0.key, $0.place) < ($1.key, $1.place) }
        for (place, item) in keyed.enumerated() {
            order[layer][place] = item.vertex
            places[item.vertex] = place
        }
    }

    /// The middle place of the neighbours; of two middle ones, the one between them.
    private mutating func median(_ table: LinkTable, _ range: Range<Int>) -> Double {
        values.removeAll(keepingCapacity: true)
        for index in range {
            let link = table.links[index]
            let value = Double(places[Int(link.vertex)]) + link.fraction
            // Few neighbours: most are in order already.
            var place = values.count
            values.append(value)
            while place > 0, values[place - 1] > value {
                values[place] = values[place - 1]
                place -= 1
            }
            values[place] = value
        }
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    /// Swaps vertices beside each other where that saves crossings.
    ///
    /// - Parameter pending: The layers that were not looked at since something changed there or
    ///   beside them.
    /// - Returns: Whether there were any.
    private mutating func swapNeighbours(_ pending: inout [Bool], _ visits: inout Int) -> Bool {
        var hasSwapped = false
        for layer in order.indices where pending[layer] {
            pending[layer] = false
            guard !isFixed[layer], order[layer].count > 1 else { continue }
            above.fill(order[layer], before, places)
            below.fill(order[layer], after, places)
            visits += (above.count + below.count) / 2
            var isChanged = false
            for place in 0..<(order[layer].count - 1) {
                let gain = above.gain(place) + below.gain(place)
                guard gain > 0 else { continue }
                order[layer].swapAt(place, place + 1)
                above.swap(place)
                below.swap(place)
                isChanged = true
            }
            guard isChanged else { continue }
            hasSwapped = true
            place(layer)
            for near in max(0, layer - 1)...min(order.count - 1, layer + 1) { pending[near] = true }
        }
        return hasSwapped
    }

    // MARK: Counting

    private mutating func crossings(after layer: Int) -> Int {
        scratch.removeAll()
        for vertex in order[layer] {
            for index in after[vertex] {
                let link = after.links[index]
                let key = places[Int(link.vertex)] << 16 | Int(link.rank)
                scratch.append(key, rank: link.ownRank)
            }
            scratch.endGroup()
        }
        return scratch.count()
    }

    private mutating func place(_ layer: Int) {
        for (place, vertex) in order[layer].enumerated() { places[vertex] = place }
    }
}
