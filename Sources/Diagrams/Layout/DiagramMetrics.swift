/// Sizes in points that all drawings share.
enum DiagramMetrics {
    /// The width of a cell as a part of the font's size: that of common monospace fonts.
    static let cellWidth = 0.61
    static let nodeFont = 13.0
    static let labelFont = 11.0
    static let labelLine = 14.0
    static let clockWidth = 14.0
    static let nodeHeight = 34.0
    static let nodeWidth = 56.0
    static let nodePadding = 13.0
    static let historySize = 28.0
    /// The room of a title above nodes inside.
    static let titleHeight = 26.0
    static let titlePadding = 10.0
    static let padding = 14.0
    static let margin = 16.0
    /// From the middle of an initial state's dot to its border.
    static let markLength = 22.0
    static let markRadius = 4.5
    /// How far a loop reaches.
    static let loopReach = 24.0
    static let arrowLength = 8.0
    static let arrowWidth = 7.0
    static let layerGap = 24.0

    static func textWidth(_ text: String, font: Double) -> Double {
        Double(TextCells.count(text)) * cellWidth * font
    }

    /// The width of a title with the room on both of its sides.
    static func titleWidth(_ text: String) -> Double {
        textWidth(text, font: nodeFont) + 2 * titlePadding
    }

    /// The size of a node without nodes inside.
    static func size(of kind: DiagramGraph.Node.Kind, text: String) -> Size {
        switch kind {
        case .history, .deepHistory: Size(width: historySize, height: historySize)
        default:
            Size(
                width: max(
                    nodeWidth, (textWidth(text, font: nodeFont) + 2 * nodePadding).rounded(.up)),
                height: nodeHeight)
        }
    }

    /// A width and a height.
    struct Size: Hashable {
        var width: Double
        var height: Double
    }
}
