/// The texts of a drawing, cut, with their sizes.
struct DiagramTexts {
    /// By node.
    let nodes: [String]
    /// By bundle; `nil` without a text.
    let labels: [Label?]

    /// The lines of a bundle.
    struct Label {
        let lines: [Diagram.Label.Line]
        let size: DiagramMetrics.Size
    }

    init(_ graph: NestedGraph) {
        nodes = graph.source.nodes.map { node in
            switch node.kind {
            case .history: "H"
            case .deepHistory: "H*"
            default: TextCells.shown(Self.visible(node.label))
            }
        }
        labels = graph.bundles.map { Self.label(of: $0, in: graph.source) }
    }

    /// A text of blanks alone in quotes, so that it can be seen.
    private static func visible(_ text: String) -> String {
        text.allSatisfy(\.isWhitespace) && !text.isEmpty ? "\"\(text)\"" : text
    }

    /// The text of an edge. A long guard is cut within its brackets, so the event stays whole.
    private static func cut(_ edge: DiagramGraph.Edge) -> String {
        guard let guardText = edge.guardText, !edge.event.isEmpty else {
            return TextCells.shown(visible(edge.label))
        }
        let room = DiagramLimits.textCellsMax - TextCells.count(TextCells.clean(edge.event)) - 3
        guard room >= DiagramLimits.guardCellsMin else { return TextCells.shown(edge.label) }
        return TextCells.clean(edge.event) + " [" + TextCells.shown(guardText, cellsMax: room) + "]"
    }

    private static func label(
        of bundle: NestedGraph.Bundle, in source: DiagramGraph
    ) -> Label? {
        let edges = bundle.edges.map { source.edges[$0] }.filter { !$0.label.isEmpty }
        guard !edges.isEmpty else { return nil }
        let limit = DiagramLimits.labelLinesMax
        let shown = edges.count > limit ? limit : edges.count
        var lines = edges.prefix(shown).map { edge in
            let full = edge.label
            return Diagram.Label.Line(
                edges: [edge.id], text: cut(edge), fullText: full,
                hasClock: edge.kind == .after)
        }
        let rest = edges.dropFirst(shown)
        if !rest.isEmpty {
            lines.append(
                Diagram.Label.Line(
                    edges: rest.map(\.id), text: "+\(rest.count) more",
                    fullText: rest.map(\.label).joined(separator: "; "), hasClock: false))
        }
        let widths = lines.map {
            DiagramMetrics.textWidth($0.text, font: DiagramMetrics.labelFont)
                + ($0.hasClock ? DiagramMetrics.clockWidth : 0)
        }
        let size = DiagramMetrics.Size(
            width: (widths.max() ?? 0).rounded(.up),
            height: Double(lines.count) * DiagramMetrics.labelLine)
        return Label(lines: lines, size: size)
    }
}
