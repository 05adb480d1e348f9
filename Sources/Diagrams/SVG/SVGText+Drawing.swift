extension SVGText {
    // MARK: Nodes

    mutating func append(_ box: Diagram.Box, isLit: Bool) {
        append("<g class=\"node ")
        append(box.kind.className)
        if box.hasTitle { append(" group") }
        if box.isBorderless { append(" bare") }
        if isLit { append(" lit") }
        append("\"")
        attribute("data-node", box.node)
        append(">")
        title(box.fullText)
        let radius = Self.radius(of: box)
        append("<rect class=\"shape\"")
        appendColors(of: box, isLit: isLit)
        if Self.isDashed(box) { append(" stroke-dasharray=\"5 4\"") }
        rectangle(box.frame, inset: 0, radius: radius)
        if box.kind == .final, !box.isBorderless {
            append("<rect class=\"inner\" stroke=\"#818b98\"")
            rectangle(box.frame, inset: 3.5, radius: max(2, radius - 3))
        }
        append("<text fill=\"#1f2328\"")
        if box.hasTitle {
            append(" font-weight=\"bold\"")
        } else {
            append(" text-anchor=\"middle\"")
        }
        if box.kind == .any || box.kind == .computed { append(" font-style=\"italic\"") }
        attribute("x", box.titlePoint.x)
        attribute("y", box.titlePoint.y)
        fit(box.text, font: DiagramMetrics.nodeFont)
        append(">")
        appendEscaped(box.text)
        append("</text></g>\n")
    }

    /// The colors where there is no style sheet.
    private mutating func appendColors(of box: Diagram.Box, isLit: Bool) {
        guard !box.isBorderless else { return append(" stroke=\"none\"") }
        if box.hasTitle {
            append(" fill=\"#fff\"")
        } else {
            append(isLit ? " fill=\"#fff1c2\"" : " fill=\"#f6f8fa\"")
        }
        append(isLit ? " stroke=\"#9a6700\" stroke-width=\"2\"" : " stroke=\"#818b98\"")
    }

    private static func radius(of box: Diagram.Box) -> Double {
        switch box.kind {
        case .history, .deepHistory, .any, .computed:
            box.hasTitle ? 8 : min(box.frame.width, box.frame.height) / 2
        default: box.isBorderless ? 0 : 8
        }
    }

    private static func isDashed(_ box: Diagram.Box) -> Bool {
        guard !box.isBorderless else { return false }
        return [.region, .any, .computed].contains(box.kind)
    }

    private mutating func rectangle(
        _ frame: Diagram.Rectangle, inset: Double, radius: Double
    ) {
        attribute("x", frame.x + inset)
        attribute("y", frame.y + inset)
        attribute("width", max(0, frame.width - 2 * inset))
        attribute("height", max(0, frame.height - 2 * inset))
        attribute("rx", radius)
        append("/>")
    }

    mutating func append(_ separator: Diagram.Separator) {
        append("<path class=\"separator\" stroke=\"#818b98\" stroke-dasharray=\"5 4\" d=\"")
        append("M", separator.start)
        append("L", separator.end)
        append("\"/>\n")
    }

    mutating func append(_ mark: Diagram.Mark) {
        append("<g class=\"mark\"")
        attribute("data-initial", mark.node)
        append("><circle class=\"dot\" fill=\"#59636e\"")
        attribute("cx", mark.dot.x)
        attribute("cy", mark.dot.y)
        attribute("r", DiagramMetrics.markRadius)
        append("/><path stroke=\"#59636e\" d=\"")
        append("M", mark.dot)
        append("L", mark.end.back(from: mark.dot))
        append("\"/>")
        appendHead(at: mark.end, from: mark.dot)
        append("</g>\n")
    }

    // MARK: Edges

    mutating func append(_ path: Diagram.Path, isLit: Bool) {
        append("<g class=\"edge ")
        append(path.kind.className)
        if isLit { append(" lit") }
        append("\"")
        attribute("data-edge", path.edges.joined(separator: " "))
        attribute("data-from", path.from)
        attribute("data-to", path.to)
        append("><path")
        append(isLit ? " stroke=\"#9a6700\" stroke-width=\"2.5\"" : " stroke=\"#59636e\"")
        if path.kind == .observed || path.kind == .computed {
            append(" stroke-dasharray=\"5 4\"")
        }
        append(" d=\"")
        append("M", path.start)
        for (index, curve) in path.curves.enumerated() {
            var curve = curve
            // The line ends in the middle of its arrow, or it would be seen beyond the tip.
            if index == path.curves.count - 1 {
                curve.end = curve.end.back(from: curve.direction(from: path.start))
            }
            if curve.isStraight {
                append("L", curve.end)
            } else {
                append("C", curve.control1, curve.control2, curve.end)
            }
        }
        append("\"/>")
        if let last = path.curves.last {
            appendHead(at: last.end, from: last.direction(from: path.start), isLit: isLit)
        }
        append("</g>\n")
    }

    /// An arrow, whose direction is one of four.
    private mutating func appendHead(
        at tip: Diagram.Point, from origin: Diagram.Point, isLit: Bool = false
    ) {
        let base = tip.back(from: origin, by: DiagramMetrics.arrowLength)
        let half = DiagramMetrics.arrowWidth / 2
        let isUpright = abs(tip.y - origin.y) > abs(tip.x - origin.x)
        let side = isUpright ? (x: half, y: 0) : (x: 0, y: half)
        append("<path class=\"head\" stroke=\"none\"")
        append(isLit ? " fill=\"#9a6700\" d=\"" : " fill=\"#59636e\" d=\"")
        append("M", tip)
        append("L", Diagram.Point(x: base.x - side.x, y: base.y - side.y))
        append("L", Diagram.Point(x: base.x + side.x, y: base.y + side.y))
        append("Z\"/>")
    }

    // MARK: Labels

    mutating func append(_ label: Diagram.Label) {
        append("<g class=\"label\" font-size=\"11\" fill=\"#1f2328\">")
        for (index, line) in label.lines.enumerated() {
            let y = label.frame.y + Double(index) * DiagramMetrics.labelLine
            append("<g")
            attribute("data-edge", line.edges.joined(separator: " "))
            append(">")
            title(line.fullText)
            if line.hasClock {
                appendClock(
                    at: Diagram.Point(x: label.frame.x + 5, y: y + DiagramMetrics.labelLine / 2))
            }
            append("<text")
            attribute("x", label.frame.x + (line.hasClock ? DiagramMetrics.clockWidth : 0))
            attribute("y", y + 11)
            fit(line.text, font: DiagramMetrics.labelFont)
            append(">")
            appendEscaped(line.text)
            append("</text></g>")
        }
        append("</g>\n")
    }

    /// A small clock.
    private mutating func appendClock(at middle: Diagram.Point) {
        append("<path class=\"clock\" fill=\"none\" stroke=\"#59636e\" stroke-width=\"1.1\" d=\"")
        append("M", Diagram.Point(x: middle.x - 4.5, y: middle.y))
        append("a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0")
        append("M", Diagram.Point(x: middle.x, y: middle.y - 2.7))
        append("v2.7h2.2\"/>")
    }
}

extension Diagram.Point {
    /// The point a bit before this one, on the upright or level way from another.
    fileprivate func back(from origin: Diagram.Point, by length: Double = 5) -> Diagram.Point {
        if abs(y - origin.y) > abs(x - origin.x) {
            return Diagram.Point(x: x, y: y + (y > origin.y ? -length : length))
        }
        return Diagram.Point(x: x + (x > origin.x ? -length : length), y: y)
    }
}

extension Diagram.Curve {
    /// Whether it is a straight line.
    fileprivate var isStraight: Bool { control2 == end || control2 == control1 }

    /// A point from which the curve comes to its end.
    fileprivate func direction(from start: Diagram.Point) -> Diagram.Point {
        if control2 != end { return control2 }
        return control1 != end ? control1 : start
    }
}

extension DiagramGraph.Node.Kind {
    fileprivate var className: StaticString {
        switch self {
        case .atomic: "atomic"
        case .compound: "compound"
        case .parallel: "parallel"
        case .region: "region"
        case .final: "final"
        case .history: "history"
        case .deepHistory: "deep-history"
        case .any: "any"
        case .computed: "computed"
        }
    }
}

extension DiagramGraph.Edge.Kind {
    fileprivate var className: StaticString {
        switch self {
        case .external: "external"
        case .internal: "internal"
        case .always: "always"
        case .after: "after"
        case .done: "done"
        case .error: "error"
        case .initial: "initial"
        case .computed: "computed"
        case .observed: "observed"
        }
    }
}
