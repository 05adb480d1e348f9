/// The places of the vertices across the layers: as near to their neighbours as the gaps allow,
/// with long edges straight (section 4.2 of Gansner et al., by sweeps of isotonic regression
/// instead of a simplex).
struct LayerPlacement {
    /// The room of a vertex and its kind.
    struct Extent {
        var before = 0.0
        var after = 0.0
        var kind = Kind.bend
    }

    /// What decides how near two vertices may be.
    enum Kind {
        case box, bend, label, port, title
    }

    /// A segment between two vertices, with the distances of its ends from their places.
    struct Link {
        let upper: Int
        let lower: Int
        var upperOffset: Double
        var lowerOffset: Double
        let weight: Double
    }

    private let order: [[Int]]
    private let extents: [Extent]
    private let links: [Link]
    /// Places outside that pull ports.
    private let pulls: [Int: Double]
    private var above: [[Int]]
    private var below: [[Int]]
    /// The vertex that stays at the beginning of its layer.
    private let title: Int?
    private(set) var places: [Double]

    init(
        order: [[Int]], extents: [Extent], links: [Link], pulls: [Int: Double], title: Int?,
        places earlier: [Double]?
    ) {
        self.order = order
        self.extents = extents
        self.links = links
        self.pulls = pulls
        self.title = title
        places = Array(repeating: 0, count: extents.count)
        above = Array(repeating: [], count: extents.count)
        below = above
        for (number, link) in links.enumerated() {
            above[link.lower].append(number)
            below[link.upper].append(number)
        }
        if let earlier {
            places = earlier
        } else {
            for layer in order { pack(layer) }
        }
    }

    /// The least distance between two vertices beside each other.
    static func gap(_ first: Extent, _ second: Extent) -> Double {
        let room: Double
        switch (first.kind, second.kind) {
        case (.box, .box): room = 28
        case (.bend, .bend), (.port, .port): room = 12
        case (.title, _), (_, .title): room = 4
        default: room = 14
        }
        return first.after + second.before + room
    }

    /// - Parameter isRefined: Whether the places are good ones already.
    mutating func solve(isRefined: Bool) {
        let forward = Array(order.indices)
        let backward = Array(forward.reversed())
        for _ in 0..<(isRefined ? 0 : 4) {
            for layer in forward { settle(layer, by: .above) }
            for layer in backward { settle(layer, by: .below) }
        }
        for _ in 0..<8 {
            for layer in forward { settle(layer, by: .both) }
            for layer in backward { settle(layer, by: .both) }
        }
        for vertex in places.indices { places[vertex] = (places[vertex] * 2).rounded() / 2 }
    }

    /// Makes rows of vertices straight where there is room.
    ///
    /// - Parameter chains: The inner vertices of each piece, and the places that its ends have.
    mutating func straighten(_ chains: [Chain]) {
        var spots = Array(repeating: (layer: 0, place: 0), count: extents.count)
        for (layer, vertices) in order.enumerated() {
            for (place, vertex) in vertices.enumerated() { spots[vertex] = (layer, place) }
        }
        for chain in chains {
            // As many as have a place in common, then the next ones.
            var group: [Int] = []
            var room = -Double.infinity...Double.infinity
            var start = chain.upperEnd
            for vertex in chain.vertices {
                let own = self.room(of: vertex, spots[vertex])
                if own.upperBound < room.lowerBound || own.lowerBound > room.upperBound {
                    align(group, in: room, wanted: start)
                    start = nil
                    group = []
                    room = own
                } else {
                    room = room.clamped(to: own)
                }
                group.append(vertex)
            }
            align(group, in: room, wanted: chain.lowerEnd, start)
        }
    }

    /// The inner vertices of a piece, and the places that its ends have.
    struct Chain {
        let vertices: ArraySlice<Int>
        let upperEnd: Double?
        let lowerEnd: Double?
    }

    /// Where a vertex can be without its neighbours moving.
    private func room(
        of vertex: Int, _ spot: (layer: Int, place: Int)
    ) -> ClosedRange<Double> {
        let layer = order[spot.layer]
        var low = -Double.infinity
        var high = Double.infinity
        if spot.place > 0 {
            let other = layer[spot.place - 1]
            low = places[other] + Self.gap(extents[other], extents[vertex])
        }
        if spot.place + 1 < layer.count {
            let other = layer[spot.place + 1]
            high = places[other] - Self.gap(extents[vertex], extents[other])
        }
        // Rounding may have taken a little of the room.
        return min(low, places[vertex])...max(high, places[vertex])
    }

    private mutating func align(
        _ group: [Int], in room: ClosedRange<Double>, wanted ends: Double?...
    ) {
        guard !group.isEmpty else { return }
        let mean = group.reduce(0) { $0 + places[$1] } / Double(group.count)
        let place =
            ends.compactMap { $0 }.first { room.contains($0) }
            ?? min(max((mean * 2).rounded() / 2, room.lowerBound), room.upperBound)
        for vertex in group { places[vertex] = place }
    }

    private enum Side { case above, below, both }

    private mutating func pack(_ layer: [Int]) {
        var end = 0.0
        for (index, vertex) in layer.enumerated() {
            if index > 0 { end += Self.gap(extents[layer[index - 1]], extents[vertex]) }
            places[vertex] = end
        }
        for vertex in layer { places[vertex] -= end / 2 }
    }

    private mutating func settle(_ layer: Int, by side: Side) {
        let vertices = order[layer]
        guard !vertices.isEmpty else { return }
        var items: [IsotonicRegression.Item] = []
        items.reserveCapacity(vertices.count)
        for (index, vertex) in vertices.enumerated() {
            var sum = 0.0
            var weight = 0.0
            if side != .below {
                for number in above[vertex] {
                    let link = links[number]
                    weight += link.weight
                    sum +=
                        link.weight
                        * (places[link.upper] + link.upperOffset - link.lowerOffset)
                }
            }
            if side != .above {
                for number in below[vertex] {
                    let link = links[number]
                    weight += link.weight
                    sum +=
                        link.weight
                        * (places[link.lower] + link.lowerOffset - link.upperOffset)
                }
            }
            if let pull = pulls[vertex] {
                let share = weight > 0 ? 0.5 : 2
                weight += share
                sum += share * pull
            }
            if vertex == title {
                weight = 4
                sum = weight * beginning(besides: layer)
            }
            let gap = index == 0 ? 0 : Self.gap(extents[vertices[index - 1]], extents[vertex])
            // What has no neighbours on this side stays, unless it is in the way.
            items.append(
                IsotonicRegression.Item(
                    wanted: weight > 0 ? sum / weight : places[vertex],
                    weight: weight > 0 ? weight : 0.05, gap: gap))
        }
        for (vertex, place) in zip(vertices, IsotonicRegression.places(items)) {
            places[vertex] = place
        }
    }

    /// The place at which the layers but one begin.
    private func beginning(besides layer: Int) -> Double {
        var least = Double.infinity
        for (number, vertices) in order.enumerated() where number != layer {
            if let first = vertices.first {
                least = min(least, places[first] - extents[first].before)
            }
        }
        return least.isFinite ? least : 0
    }
}
