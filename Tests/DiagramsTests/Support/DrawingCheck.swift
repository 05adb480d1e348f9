@testable import Diagrams

/// Finds what a drawing must not have.
struct DrawingCheck {
    let graph: DiagramGraph
    let diagram: Diagram
    private let frames: [String: Diagram.Rectangle]
    private let parents: [String: String]

    init(_ graph: DiagramGraph, _ diagram: Diagram) {
        self.graph = graph
        self.diagram = diagram
        frames = Dictionary(uniqueKeysWithValues: diagram.boxes.map { ($0.node, $0.frame) })
        parents = Dictionary(
            uniqueKeysWithValues: graph.nodes.compactMap { node in
                node.parent.map { (node.id, $0) }
            })
    }

    var problems: [String] {
        completeness + boxProblems + labelProblems + pathProblems + outside
    }

    // MARK: Parts

    private var completeness: [String] {
        var problems: [String] = []
        if Set(frames.keys) != Set(graph.nodes.map(\.id)) { problems.append("nodes are missing") }
        let drawn = diagram.paths.flatMap(\.edges).sorted()
        if drawn != graph.edges.map(\.id).sorted() { problems.append("edges aren't drawn once") }
        let labelled = diagram.labels.flatMap(\.lines).flatMap(\.edges).sorted()
        let named = graph.namingAlternatives().edges.filter { !$0.label.isEmpty }
        if labelled != named.map(\.id).sorted() {
            problems.append("labels aren't drawn once")
        }
        return problems
    }

    private var boxProblems: [String] {
        var problems: [String] = []
        for (index, box) in diagram.boxes.enumerated() {
            if let parent = parents[box.node], let outer = frames[parent],
                !contains(outer, box.frame)
            {
                problems.append("\(box.node) isn't inside \(parent)")
            }
            for other in diagram.boxes[(index + 1)...]
            where !isInside(box.node, other.node) && !isInside(other.node, box.node) {
                if overlaps(box.frame, other.frame) {
                    problems.append("\(box.node) lies on \(other.node)")
                }
            }
        }
        return problems
    }

    private var labelProblems: [String] {
        var problems: [String] = []
        for (index, label) in diagram.labels.enumerated() {
            let name = label.lines[0].edges[0]
            for other in diagram.labels[(index + 1)...] where overlaps(label.frame, other.frame) {
                problems.append("label \(name) lies on label \(other.lines[0].edges[0])")
            }
            for box in diagram.boxes where overlaps(label.frame, box.frame) {
                if !box.hasTitle || !contains(box.frame, label.frame) {
                    problems.append("label \(name) lies on \(box.node)")
                } else if overlaps(title(of: box), label.frame) {
                    problems.append("label \(name) lies on the title of \(box.node)")
                }
            }
        }
        return problems
    }

    private var pathProblems: [String] {
        let leaves = diagram.boxes.filter { !$0.hasTitle }
        let titled = diagram.boxes.filter(\.hasTitle)
        return diagram.paths.flatMap { path -> [String] in
            var problems: [String] = []
            let name = path.edges[0]
            for (point, node) in [(path.start, path.from), (path.end, path.to)] {
                guard let frame = frames[node], isOnBorder(point, frame) else {
                    problems.append("\(name) doesn't end on the border of \(node)")
                    continue
                }
            }
            let points = Self.points(of: path)
            let room = bounds(of: points)
            let leaves = leaves.filter { overlaps($0.frame, room) }
            let titled = titled.filter { overlaps($0.frame, room) }
            let labels = diagram.labels.filter { overlaps($0.frame, room) }
            for point in points {
                for box in leaves where isStrictlyInside(point, box.frame) {
                    problems.append("\(name) goes through \(box.node)")
                }
                for box in titled where isStrictlyInside(point, title(of: box)) {
                    problems.append("\(name) goes through the title of \(box.node)")
                }
                for label in labels where isStrictlyInside(point, label.frame) {
                    problems.append("\(name) goes through label \(label.lines[0].edges[0])")
                }
            }
            return Array(Set(problems)).sorted()
        }
    }

    private var outside: [String] {
        let all = Diagram.Rectangle(x: 0, y: 0, width: diagram.width, height: diagram.height)
        let frames = diagram.boxes.map(\.frame) + diagram.labels.map(\.frame)
        let points = diagram.paths.flatMap(Self.points) + diagram.marks.map(\.dot)
        let isAllInside =
            frames.allSatisfy { contains(all, $0) }
            && points.allSatisfy {
                $0.x >= 0 && $0.y >= 0 && $0.x <= all.width && $0.y <= all.height
            }
        return isAllInside ? [] : ["something is outside of the drawing"]
    }

    // MARK: Geometry

    /// Points along a path.
    static func points(of path: Diagram.Path) -> [Diagram.Point] {
        var points = [path.start]
        var start = path.start
        for curve in path.curves {
            for step in 1...16 {
                let t = Double(step) / 16
                let u = 1 - t
                func part(_ value: (Diagram.Point) -> Double) -> Double {
                    u * u * u * value(start) + 3 * u * u * t * value(curve.control1)
                        + 3 * u * t * t * value(curve.control2) + t * t * t * value(curve.end)
                }
                var point = start
                point.x = part { $0.x }
                point.y = part { $0.y }
                points.append(point)
            }
            start = curve.end
        }
        return points
    }

    /// A rectangle around points, with a bit more.
    private func bounds(of points: [Diagram.Point]) -> Diagram.Rectangle {
        let xs = points.map(\.x)
        let ys = points.map(\.y)
        let (x, y) = ((xs.min() ?? 0) - 1, (ys.min() ?? 0) - 1)
        return Diagram.Rectangle(
            x: x, y: y, width: (xs.max() ?? 0) + 1 - x, height: (ys.max() ?? 0) + 1 - y)
    }

    private func title(of box: Diagram.Box) -> Diagram.Rectangle {
        var frame = box.frame
        frame.x = box.titlePoint.x
        frame.y = box.titlePoint.y - 10
        frame.width = Double(box.text.count) * 13 * 0.61
        frame.height = 13
        return frame
    }

    private func isInside(_ node: String, _ outer: String) -> Bool {
        var next = parents[node]
        while let parent = next {
            if parent == outer { return true }
            next = parents[parent]
        }
        return false
    }

    private func overlaps(_ one: Diagram.Rectangle, _ other: Diagram.Rectangle) -> Bool {
        one.x + 0.01 < other.maxX && other.x + 0.01 < one.maxX && one.y + 0.01 < other.maxY
            && other.y + 0.01 < one.maxY
    }

    private func contains(_ outer: Diagram.Rectangle, _ inner: Diagram.Rectangle) -> Bool {
        inner.x >= outer.x - 0.01 && inner.y >= outer.y - 0.01 && inner.maxX <= outer.maxX + 0.01
            && inner.maxY <= outer.maxY + 0.01
    }

    private func isStrictlyInside(_ point: Diagram.Point, _ frame: Diagram.Rectangle) -> Bool {
        point.x > frame.x + 0.5 && point.x < frame.maxX - 0.5 && point.y > frame.y + 0.5
            && point.y < frame.maxY - 0.5
    }

    private func isOnBorder(_ point: Diagram.Point, _ frame: Diagram.Rectangle) -> Bool {
        func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 0.01 }
        let isAtSide = isNear(point.x, frame.x) || isNear(point.x, frame.maxX)
        let isAtEnd = isNear(point.y, frame.y) || isNear(point.y, frame.maxY)
        let isInWidth = point.x > frame.x - 0.01 && point.x < frame.maxX + 0.01
        let isInHeight = point.y > frame.y - 0.01 && point.y < frame.maxY + 0.01
        return (isAtSide && isInHeight) || (isAtEnd && isInWidth)
    }
}
