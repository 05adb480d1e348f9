/// Puts the places of all containers together: boxes, paths and labels from the top left.
struct DiagramComposer {
    private let sized: SizedGraph
    private let graph: NestedGraph
    private let flow: Flow
    /// The frames of all nodes, and of the root.
    private var frames: [FlowFrame]

    init(_ sized: SizedGraph) {
        self.sized = sized
        graph = sized.graph
        flow = sized.flow
        frames = Array(repeating: FlowFrame(), count: graph.root + 1)
        if let plan = sized.plans[graph.root] {
            frames[graph.root] = FlowFrame(crossSize: plan.crossSize, flowSize: plan.flowSize)
        }
        for container in sized.ordered.containers {
            for (node, frame) in sized.plans[container]?.children ?? [:] {
                var frame = frame
                frame.cross += frames[container].cross
                frame.flow += frames[container].flow
                frames[node] = frame
            }
        }
    }

    func compose() -> Diagram {
        let size = flow.frame(frames[graph.root])
        var diagram = Diagram(
            width: size.width, height: size.height, boxes: boxes, paths: [], labels: [],
            marks: marks, separators: separators)
        for (number, bundle) in graph.bundles.enumerated() {
            if bundle.from == bundle.to {
                addLoop(number, to: &diagram)
            } else {
                diagram.paths.append(path(of: bundle, runs(of: bundle)))
            }
        }
        diagram.labels += labels
        return diagram
    }

    // MARK: Nodes

    private var boxes: [Diagram.Box] {
        // Outer ones first, so that they are painted below.
        let order = (0..<graph.root).sorted {
            (graph.depths[$0], $0) < (graph.depths[$1], $1)
        }
        return order.map { number in
            let node = graph.source.nodes[number]
            let frame = flow.frame(frames[number])
            let hasTitle = graph.isContainer(number)
            let parent = graph.parents[number]
            return Diagram.Box(
                node: node.id, kind: node.kind, frame: frame, text: sized.texts.nodes[number],
                fullText: node.label, hasTitle: hasTitle, isBorderless: graph.isRow(parent),
                titlePoint: Diagram.Point(
                    x: hasTitle ? frame.x + DiagramMetrics.titlePadding : frame.x + frame.width / 2,
                    y: hasTitle ? frame.y + 17.5 : frame.y + frame.height / 2 + 4.5))
        }
    }

    private var marks: [Diagram.Mark] {
        (0..<graph.root).filter(sized.hasMark).map { node in
            let frame = frames[node]
            let depth = graph.isContainer(node) ? min(20, frame.flowSize / 2) : frame.flowSize / 2
            let place = frame.flow + depth
            return Diagram.Mark(
                node: graph.source.nodes[node].id,
                dot: flow.point(cross: frame.cross - DiagramMetrics.markLength, flow: place),
                end: flow.point(cross: frame.cross, flow: place))
        }
    }

    private var separators: [Diagram.Separator] {
        (0..<graph.root).filter(graph.isRow).flatMap { row -> [Diagram.Separator] in
            let frame = flow.frame(frames[row])
            let y = frame.y + DiagramMetrics.titleHeight
            // One below the title, at which edges of regions may begin, and one between each two.
            let top = Diagram.Separator(
                start: Diagram.Point(x: frame.x, y: y), end: Diagram.Point(x: frame.maxX, y: y))
            return [top]
                + graph.children[row].dropFirst().map { region in
                    let region = frames[region]
                    return Diagram.Separator(
                        start: flow.point(cross: region.cross, flow: region.flow),
                        end: flow.point(cross: region.cross, flow: region.flowEnd))
                }
        }
    }

    // MARK: Edges

    /// A straight part of a path along the flow.
    private struct Run {
        let cross: Double
        var start: Double
        var end: Double
    }

    /// The straight parts of a bundle's path, along the flow.
    private func runs(of bundle: NestedGraph.Bundle) -> [Run] {
        var runs: [Run] = []
        for number in bundle.isReversed ? bundle.pieces.reversed() : bundle.pieces {
            for run in self.runs(of: number) {
                if let last = runs.last, last.cross == run.cross, last.end >= run.start {
                    runs[runs.count - 1].end = max(last.end, run.end)
                } else {
                    runs.append(run)
                }
            }
        }
        return runs
    }

    private func runs(of number: Int) -> [Run] {
        let piece = graph.pieces[number]
        let frame = frames[piece.container]
        guard let inside = sized.ordered.layers[piece.container],
            let plan = sized.plans[piece.container], let chain = inside.chains[number]
        else {
            // A row: straight from border to border.
            return [
                Run(
                    cross: cross(of: piece.upper), start: border(piece.upper),
                    end: border(piece.lower))
            ]
        }
        return chain.enumerated().map { index, vertex in
            let layer = plan.layers[inside.layers[vertex]]
            let isFirst = index == 0
            let isLast = index == chain.count - 1
            let cross =
                isFirst
                ? cross(of: piece.upper)
                : isLast ? cross(of: piece.lower) : frame.cross + plan.places[vertex]
            return Run(
                cross: cross, start: isFirst ? border(piece.upper) : frame.flow + layer.start,
                end: isLast ? border(piece.lower) : frame.flow + layer.end)
        }
    }

    private func cross(of port: Int) -> Double {
        frames[graph.ports[port].owner].cross + sized.portPlaces[port]
    }

    private func border(_ port: Int) -> Double {
        let frame = frames[graph.ports[port].owner]
        return graph.ports[port].isFirst ? frame.flow : frame.flowEnd
    }

    private func path(of bundle: NestedGraph.Bundle, _ runs: [Run]) -> Diagram.Path {
        let runs =
            bundle.isReversed
            ? runs.reversed().map { Run(cross: $0.cross, start: $0.end, end: $0.start) } : runs
        var path = emptyPath(of: bundle)
        guard let first = runs.first else { return path }
        path.start = flow.point(cross: first.cross, flow: first.start)
        for (index, run) in runs.enumerated() {
            let start = flow.point(cross: run.cross, flow: run.start)
            if index > 0 {
                let last = runs[index - 1]
                let middle = (last.end + run.start) / 2
                path.curves.append(
                    Diagram.Curve(
                        control1: flow.point(cross: last.cross, flow: middle),
                        control2: flow.point(cross: run.cross, flow: middle), end: start))
            }
            guard run.start != run.end else { continue }
            path.curves.append(.line(from: start, to: flow.point(cross: run.cross, flow: run.end)))
        }
        return path
    }

    private func emptyPath(of bundle: NestedGraph.Bundle) -> Diagram.Path {
        let edges = bundle.edges.map { graph.source.edges[$0] }
        let declared = edges.first { $0.kind != .observed && $0.kind != .computed }
        return Diagram.Path(
            edges: edges.map(\.id), kind: (declared ?? edges[0]).kind,
            from: graph.source.nodes[bundle.from].id, to: graph.source.nodes[bundle.to].id,
            start: Diagram.Point(x: 0, y: 0), curves: [])
    }

    private var labels: [Diagram.Label] {
        sized.ordered.containers.flatMap { container -> [Diagram.Label] in
            guard let inside = sized.ordered.layers[container], let plan = sized.plans[container]
            else { return [] }
            return inside.vertices.enumerated().compactMap { vertex, kind in
                guard case .label(let piece) = kind,
                    let label = sized.texts.labels[graph.pieces[piece].bundle]
                else { return nil }
                let layer = plan.layers[inside.layers[vertex]]
                let middle = frames[container].flow + (layer.start + layer.end) / 2
                let cross = frames[container].cross + plan.places[vertex]
                let point = flow.point(cross: cross, flow: middle)
                let frame =
                    flow == .down
                    ? Diagram.Rectangle(
                        x: point.x + 5, y: point.y - label.size.height / 2,
                        width: label.size.width, height: label.size.height)
                    : Diagram.Rectangle(
                        x: point.x - label.size.width / 2, y: point.y - label.size.height - 2,
                        width: label.size.width, height: label.size.height)
                return Diagram.Label(lines: label.lines, frame: frame)
            }
        }
    }

    /// A loop at the last side across the flow, with its label beyond.
    private func addLoop(_ number: Int, to diagram: inout Diagram) {
        let bundle = graph.bundles[number]
        let frame = frames[bundle.from]
        let middle = frame.flow + frame.flowSize / 2
        let half = min(9, frame.flowSize / 4)
        let reach = frame.crossEnd + DiagramMetrics.loopReach * 4 / 3 - 4
        var path = emptyPath(of: bundle)
        path.start = flow.point(cross: frame.crossEnd, flow: middle - half)
        path.curves = [
            Diagram.Curve(
                control1: flow.point(cross: reach, flow: middle - half - 4),
                control2: flow.point(cross: reach, flow: middle + half),
                end: flow.point(cross: frame.crossEnd, flow: middle + half))
        ]
        diagram.paths.append(path)
        guard let label = sized.texts.labels[number] else { return }
        let point = flow.point(cross: frame.crossEnd + DiagramMetrics.loopReach, flow: middle)
        let place =
            flow == .down
            ? Diagram.Point(x: point.x + 2, y: point.y - label.size.height / 2)
            : Diagram.Point(x: point.x - label.size.width / 2, y: point.y + 1)
        diagram.labels.append(
            Diagram.Label(
                lines: label.lines,
                frame: Diagram.Rectangle(
                    x: place.x, y: place.y, width: label.size.width, height: label.size.height)))
    }
}
