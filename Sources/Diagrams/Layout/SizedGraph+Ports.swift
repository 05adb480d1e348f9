extension SizedGraph {
    /// The distance of a port from the middle of its owner.
    func portOffset(_ port: Int) -> Double {
        portPlaces[port] - frame(of: graph.ports[port].owner).crossSize / 2
    }

    /// The segments between places, with the offsets of ports.
    func links(_ inside: LayerGraph) -> [LayerPlacement.Link] {
        inside.segments.map { segment in
            let isInner = segment.upperPort == nil && segment.lowerPort == nil
            let isDirect = segment.upperPort != nil && segment.lowerPort != nil
            return LayerPlacement.Link(
                upper: segment.upper, lower: segment.lower,
                upperOffset: segment.upperPort.map(portOffset) ?? 0,
                lowerOffset: segment.lowerPort.map(portOffset) ?? 0,
                weight: isInner ? 8 : isDirect ? 1 : 2)
        }
    }

    /// The pieces' inner vertices, with the places of their ends.
    func chains(_ inside: LayerGraph, _ places: [Double]) -> [LayerPlacement.Chain] {
        graph.piecesInside[inside.container].compactMap { number in
            guard let chain = inside.chains[number], let first = chain.first,
                let last = chain.last, chain.count > 2
            else { return nil }
            let piece = graph.pieces[number]
            func end(_ vertex: Int, _ port: Int) -> Double {
                guard case .child = inside.vertices[vertex] else { return places[vertex] }
                return places[vertex] + portOffset(port)
            }
            return LayerPlacement.Chain(
                vertices: chain.dropFirst().dropLast(), upperEnd: end(first, piece.upper),
                lowerEnd: end(last, piece.lower))
        }
    }

    /// Places the ports of a row of regions: those that lead inside above their regions' ports,
    /// and others where there is room.
    mutating func placePorts(ofRow container: Int, _ plan: ContainerPlan) {
        let inner = ordered.innerPorts(ofRow: container)
        for ports in [ordered.firstPorts[container], ordered.lastPorts[container]] {
            let isFirst = ports.first.map { graph.ports[$0].isFirst } ?? false
            let start = isFirst && flow == .down ? titleWidth(container) : DiagramMetrics.padding
            let step = max(0, plan.crossSize - start) / Double(ports.count + 1)
            let items = ports.enumerated().map { rank, port in
                var item = IsotonicRegression.Item(
                    wanted: max(start, pulls[port] ?? start + Double(rank + 1) * step), weight: 1,
                    gap: 10)
                if let inside = inner[port] {
                    let region = plan.children[graph.ports[inside].owner]
                    item.wanted = portPlaces[inside] + (region?.cross ?? 0)
                    item.weight = 1e9
                }
                return item
            }
            for (port, place) in zip(ports, IsotonicRegression.places(items)) {
                portPlaces[port] = min(max(place, 8), plan.crossSize - 8)
            }
            for (port, inside) in inner where ports.contains(port) {
                let region = plan.children[graph.ports[inside].owner]
                portPlaces[port] = portPlaces[inside] + (region?.cross ?? 0)
            }
        }
    }

    /// What the ports of a container want to be near to, outside of it, as places from its
    /// beginning.
    func wishes() -> [Double?] {
        var result: [Double?] = Array(repeating: nil, count: graph.ports.count)
        for container in ordered.containers {
            guard let plan = plans[container] else { continue }
            guard let inside = ordered.layers[container] else {
                // A row leads a wish on to its regions.
                for (outer, inner) in ordered.innerPorts(ofRow: container) {
                    guard let wish = result[outer],
                        let region = plan.children[graph.ports[inner].owner]
                    else { continue }
                    result[inner] = wish - region.cross
                }
                continue
            }
            func place(_ vertex: Int, _ port: Int?) -> Double {
                if case .port(let own) = inside.vertices[vertex], let wish = result[own] {
                    return wish
                }
                return plan.places[vertex] + (port.map(portOffset) ?? 0)
            }
            for segment in inside.segments {
                if let port = segment.upperPort,
                    let frame = plan.children[graph.ports[port].owner]
                {
                    result[port] = place(segment.lower, segment.lowerPort) - frame.cross
                }
                if let port = segment.lowerPort,
                    let frame = plan.children[graph.ports[port].owner]
                {
                    result[port] = place(segment.upper, segment.upperPort) - frame.cross
                }
            }
        }
        return result
    }

    /// Spreads the ports of nodes that have nothing inside along their sides, in the order of what
    /// they lead to.
    mutating func spreadPorts(_ inside: LayerGraph) {
        for (_, ports) in sides(inside) {
            guard let first = ports.first else { continue }
            let size = frame(of: graph.ports[first.port].owner).crossSize
            let step = ports.count < 2 ? 0 : min(16, (size - 16) / Double(ports.count - 1))
            for (rank, item) in ports.enumerated() {
                let middle = Double(ports.count - 1) / 2
                portPlaces[item.port] = size / 2 + (Double(rank) - middle) * step
            }
        }
    }

    /// Sets the places of the container's ports, and moves those of nodes that have nothing inside
    /// to where their edges are straight.
    mutating func slidePorts(_ inside: LayerGraph, _ plan: ContainerPlan) {
        for (vertex, kind) in inside.vertices.enumerated() {
            if case .port(let port) = kind { portPlaces[port] = plan.places[vertex] }
        }
        for (_, ports) in sides(inside) {
            for (rank, item) in ports.enumerated() {
                let owner = graph.ports[item.port].owner
                guard let frame = plan.children[owner] else { continue }
                let wanted =
                    plan.places[item.other] + (item.otherPort.map(portOffset) ?? 0) - frame.cross
                let low = rank == 0 ? 8 : portPlaces[ports[rank - 1].port] + 10
                let high =
                    rank + 1 == ports.count
                    ? frame.crossSize - 8 : portPlaces[ports[rank + 1].port] - 10
                if wanted >= low, wanted <= high { portPlaces[item.port] = wanted }
            }
        }
    }

    private struct Side: Hashable {
        let vertex: Int
        let isFirst: Bool
    }

    /// The ports of nodes that have nothing inside, by side in the order of what they lead to.
    private func sides(
        _ inside: LayerGraph
    ) -> [(key: Side, ports: [(port: Int, other: Int, otherPort: Int?)])] {
        var places = Array(repeating: 0, count: inside.vertices.count)
        for vertices in inside.order {
            for (place, vertex) in vertices.enumerated() { places[vertex] = place }
        }
        var found: [Side: [(port: Int, other: Int, otherPort: Int?)]] = [:]
        for segment in inside.segments {
            if let port = segment.upperPort, !graph.isContainer(graph.ports[port].owner) {
                found[Side(vertex: segment.upper, isFirst: false), default: []].append(
                    (port, segment.lower, segment.lowerPort))
            }
            if let port = segment.lowerPort, !graph.isContainer(graph.ports[port].owner) {
                found[Side(vertex: segment.lower, isFirst: true), default: []].append(
                    (port, segment.upper, segment.upperPort))
            }
        }
        func key(_ item: (port: Int, other: Int, otherPort: Int?)) -> (Int, Int, Int) {
            (places[item.other], item.otherPort.map { ordered.rank($0).rank } ?? 0, item.port)
        }
        return found.sorted {
            ($0.key.vertex, $0.key.isFirst ? 0 : 1) < ($1.key.vertex, $1.key.isFirst ? 0 : 1)
        }.map { ($0.key, $0.value.sorted { key($0) < key($1) }) }
    }
}
