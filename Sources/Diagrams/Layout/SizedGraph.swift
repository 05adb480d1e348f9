/// The places in every container for one flow, from the inside out.
struct SizedGraph {
    let ordered: OrderedGraph
    let texts: DiagramTexts
    let flow: Flow
    private(set) var plans: [Int: ContainerPlan] = [:]
    /// The place of each port across its owner, from the owner's beginning.
    var portPlaces: [Double]
    /// The frames of all nodes at the origin, as far as they are known.
    private var sizes: [FlowFrame]
    /// Where ports want to be, from their owners' beginnings: what they lead to outside.
    let pulls: [Double?]
    /// The widths of titles, with those of the outer ones that reach into a region.
    private var titleWidths: [Double]

    var graph: NestedGraph { ordered.graph }

    /// - Parameter earlier: Places to begin with; ports are drawn to what they lead to there.
    init(
        _ ordered: OrderedGraph, _ texts: DiagramTexts, _ flow: Flow,
        after earlier: SizedGraph? = nil
    ) {
        self.ordered = ordered
        self.texts = texts
        self.flow = flow
        let graph = ordered.graph
        pulls = earlier?.wishes() ?? Array(repeating: nil, count: graph.ports.count)
        portPlaces = Array(repeating: 0, count: graph.ports.count)
        titleWidths = texts.nodes.map(DiagramMetrics.titleWidth)
        for container in ordered.containers.dropFirst() {
            let parent = graph.parents[container]
            if graph.isRow(parent), graph.children[parent].first == container {
                titleWidths[container] = max(titleWidths[container], titleWidths[parent])
            }
        }
        sizes = graph.source.nodes.indices.map {
            graph.isContainer($0)
                ? FlowFrame() : Self.frame(of: $0, in: graph, texts.nodes[$0], flow)
        }
        for container in ordered.containers.reversed() {
            if let inside = ordered.layers[container] {
                place(inside, earlier?.plans[container]?.places)
            } else {
                placeRow(container)
            }
            if container != graph.root, let plan = plans[container] {
                sizes[container].crossSize = plan.crossSize
                sizes[container].flowSize = plan.flowSize
            }
        }
    }

    // MARK: Sizes

    /// The frame at the origin of a node without nodes inside.
    private static func frame(
        of node: Int, in graph: NestedGraph, _ text: String, _ flow: Flow
    ) -> FlowFrame {
        let size = DiagramMetrics.size(of: graph.source.nodes[node].kind, text: text)
        var frame = FlowFrame(crossSize: size.height, flowSize: size.width)
        if flow == .down { swap(&frame.crossSize, &frame.flowSize) }
        // Room for all arrows at one side.
        let ports = graph.portsOf[node].count { graph.ports[$0].isFirst }
        let most = max(ports, graph.portsOf[node].count - ports)
        frame.crossSize = max(frame.crossSize, Double(most - 1) * 10 + 16)
        return frame
    }

    /// The frame of a child at the origin.
    func frame(of node: Int) -> FlowFrame { sizes[node] }

    /// The room of a node's loop with its label, if it has one.
    private func loopRoom(of node: Int) -> (cross: Double, flow: Double) {
        guard let bundle = graph.loops[node] else { return (0, 0) }
        let reach = DiagramMetrics.loopReach
        guard let label = texts.labels[bundle] else { return (reach, 0) }
        switch flow {
        case .down: return (reach + 4 + label.size.width, label.size.height)
        case .right: return (reach + 2 + label.size.height, label.size.width)
        }
    }

    private func extent(
        of vertex: LayerGraph.Vertex
    ) -> (extent: LayerPlacement.Extent, flow: Double) {
        switch vertex {
        case .child(let node):
            let frame = frame(of: node)
            let loop = loopRoom(of: node)
            let mark = hasMark(node) ? DiagramMetrics.markLength + DiagramMetrics.markRadius : 0
            let extent = LayerPlacement.Extent(
                before: frame.crossSize / 2 + mark, after: frame.crossSize / 2 + loop.cross,
                kind: .box)
            return (extent, max(frame.flowSize, loop.flow))
        case .port: return (LayerPlacement.Extent(kind: .port), 0)
        case .bend: return (LayerPlacement.Extent(kind: .bend), 0)
        case .label(let piece):
            guard let label = texts.labels[graph.pieces[piece].bundle] else {
                return (LayerPlacement.Extent(), 0)
            }
            switch flow {
            case .down:
                let extent = LayerPlacement.Extent(
                    before: 0, after: label.size.width + 5, kind: .label)
                return (extent, label.size.height)
            case .right:
                let extent = LayerPlacement.Extent(
                    before: label.size.height + 2, after: 0, kind: .label)
                return (extent, label.size.width + 8)
            }
        }
    }

    /// Whether a dot with an arrow marks a node: not a region, which always begins.
    func hasMark(_ node: Int) -> Bool {
        graph.source.nodes[node].isInitial && !graph.isRegion(node)
    }

    // MARK: Placing

    private mutating func place(_ inside: LayerGraph, _ earlier: [Double]?) {
        let container = inside.container
        var extents: [LayerPlacement.Extent] = []
        var flows: [Double] = []
        for vertex in inside.vertices {
            let (extent, flow) = extent(of: vertex)
            extents.append(extent)
            flows.append(flow)
        }
        var order = inside.order
        var title: Int?
        if flow == .down, container != graph.root {
            // Ports keep off the title.
            title = extents.count
            extents.append(
                LayerPlacement.Extent(before: 0, after: titleWidths[container], kind: .title))
            order[0].insert(extents.count - 1, at: 0)
        }
        spreadPorts(inside)
        var placement = LayerPlacement(
            order: order, extents: extents, links: links(inside), pulls: ownPulls(inside),
            title: title, places: earlier)
        placement.solve(isRefined: earlier != nil)
        placement.straighten(chains(inside, placement.places))
        var plan = ContainerPlan()
        plan.places = placement.places
        stack(inside, flows, &plan)
        frame(inside, extents, &plan)
        plans[container] = plan
        slidePorts(inside, plan)
    }

    /// The wishes of a container's ports, by vertex.
    private func ownPulls(_ inside: LayerGraph) -> [Int: Double] {
        var result: [Int: Double] = [:]
        for (vertex, kind) in inside.vertices.enumerated() {
            if case .port(let port) = kind { result[vertex] = pulls[port] }
        }
        return result
    }

    /// The layers' places along the flow.
    private func stack(_ inside: LayerGraph, _ flows: [Double], _ plan: inout ContainerPlan) {
        let isRoot = inside.container == graph.root
        let last = inside.order.count - 1
        var turns = Array(repeating: -1.0, count: last + 1)
        for link in links(inside) {
            let distance = abs(
                plan.places[link.upper] + link.upperOffset - plan.places[link.lower]
                    - link.lowerOffset)
            turns[inside.layers[link.upper]] = max(turns[inside.layers[link.upper]], distance)
        }
        var flow = 0.0
        for (layer, vertices) in inside.order.enumerated() {
            var size = vertices.reduce(0) { max($0, flows[$1]) }
            if layer == 0, !isRoot, self.flow == .down { size = DiagramMetrics.titleHeight }
            plan.layers.append((flow, flow + size))
            flow += size
            guard layer < last else { break }
            let isOuter = layer == 0 || layer == last - 1
            if turns[layer] < 0, isOuter || vertices.isEmpty {
                flow += isRoot ? 0 : layer == 0 && self.flow == .down ? 8 : DiagramMetrics.padding
            } else {
                // Wide turns need room, or they'd be flat.
                flow += DiagramMetrics.layerGap + min(40, max(0, turns[layer]) * 0.08).rounded()
            }
        }
        plan.flowSize = flow
    }

    /// The size, and all places from the container's corner.
    private func frame(
        _ inside: LayerGraph, _ extents: [LayerPlacement.Extent], _ plan: inout ContainerPlan
    ) {
        let isRoot = inside.container == graph.root
        var start = Double.infinity
        var end = -Double.infinity
        for (vertex, extent) in extents.enumerated() {
            let pad = extent.kind == .title ? -DiagramMetrics.padding : 0
            start = min(start, plan.places[vertex] - extent.before - pad)
            end = max(end, plan.places[vertex] + extent.after + pad)
        }
        if start > end { (start, end) = (0, 0) }
        let pad = isRoot ? DiagramMetrics.margin : DiagramMetrics.padding
        let head = flow == .right && !isRoot ? DiagramMetrics.titleHeight + 6 : pad
        let shift = head - start
        for vertex in plan.places.indices { plan.places[vertex] += shift }
        plan.crossSize = end - start + head + pad
        if flow == .right, !isRoot {
            plan.flowSize = max(plan.flowSize, titleWidths[inside.container])
        }
        if isRoot {
            for layer in plan.layers.indices {
                plan.layers[layer].start += DiagramMetrics.margin
                plan.layers[layer].end += DiagramMetrics.margin
            }
            plan.flowSize += 2 * DiagramMetrics.margin
        }
        for (vertex, kind) in inside.vertices.enumerated() {
            guard case .child(let node) = kind else { continue }
            var frame = frame(of: node)
            let layer = plan.layers[inside.layers[vertex]]
            frame.cross = plan.places[vertex] - frame.crossSize / 2
            frame.flow = layer.start + ((layer.end - layer.start - frame.flowSize) / 2).rounded()
            plan.children[node] = frame
        }
    }

    /// Regions side by side, under or below one title.
    private mutating func placeRow(_ container: Int) {
        let title = DiagramMetrics.titleHeight
        var plan = ContainerPlan()
        var cross = flow == .down ? 0 : title
        let start = flow == .down ? title : 0
        for region in graph.children[container] {
            var frame = frame(of: region)
            frame.cross = cross
            frame.flow = start
            cross += frame.crossSize
            plan.flowSize = max(plan.flowSize, frame.flowSize)
            plan.children[region] = frame
        }
        for region in graph.children[container] { plan.children[region]?.flowSize = plan.flowSize }
        plan.flowSize += start
        plan.crossSize = cross
        if flow == .right {
            let missing = titleWidths[container] - plan.flowSize
            if missing > 0 {
                plan.flowSize += missing
                for region in graph.children[container] {
                    plan.children[region]?.flowSize += missing
                }
            }
        }
        plans[container] = plan
        placePorts(ofRow: container, plan)
    }

    /// The room of a title at the beginning of the first layer.
    func titleWidth(_ container: Int) -> Double { titleWidths[container] }
}
