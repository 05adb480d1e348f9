/// A drawing: boxes, paths and labels in points, *x* to the right and *y* down from the top left.
public struct Diagram: Hashable, Sendable {
    /// A place.
    public struct Point: Hashable, Sendable {
        /// Points from the left.
        public var x: Double
        /// Points from the top.
        public var y: Double
    }

    /// A rectangle with upright sides.
    public struct Rectangle: Hashable, Sendable {
        /// Points from the left to its left side.
        public var x: Double
        /// Points from the top to its upper side.
        public var y: Double
        /// Points.
        public var width: Double
        /// Points.
        public var height: Double

        /// Its right side.
        public var maxX: Double { x + width }
        /// Its lower side.
        public var maxY: Double { y + height }
    }

    /// A node.
    public struct Box: Hashable, Sendable {
        /// The node's id.
        public var node: String
        /// The node's meaning.
        public var kind: DiagramGraph.Node.Kind
        /// The place.
        public var frame: Rectangle
        /// The text, perhaps cut.
        public var text: String
        /// The whole text.
        public var fullText: String
        /// Whether the text is a title above nodes inside.
        public var hasTitle: Bool
        /// Whether no border is drawn, since separators stand for it: a region.
        public var isBorderless: Bool
        /// The place of the title's text: its beginning on the base line.
        public var titlePoint: Point
    }

    /// A cubic Bézier curve from where the last one ended.
    public struct Curve: Hashable, Sendable {
        /// The control point near the beginning.
        public var control1: Point
        /// The control point near the end.
        public var control2: Point
        /// The end.
        public var end: Point

        /// A straight line.
        static func line(from start: Point, to end: Point) -> Curve {
            Curve(control1: start, control2: end, end: end)
        }
    }

    /// One or more edges with equal ends.
    public struct Path: Hashable, Sendable {
        /// The ids of the edges.
        public var edges: [String]
        /// The kind of the first edge that a definition declares, or else of the first one: a path
        /// is dashed only if all its edges are.
        public var kind: DiagramGraph.Edge.Kind
        /// The id of the first node.
        public var from: String
        /// The id of the second node.
        public var to: String
        /// The beginning, on the border of the first node.
        public var start: Point
        /// The way to the border of the second node.
        public var curves: [Curve]

        /// The end, on the border of the second node.
        public var end: Point { curves.last?.end ?? start }
    }

    /// The texts of a path.
    public struct Label: Hashable, Sendable {
        /// One text.
        public struct Line: Hashable, Sendable {
            /// The ids of the edges, one but for a line that counts the rest.
            public var edges: [String]
            /// The text, perhaps cut.
            public var text: String
            /// The whole text.
            public var fullText: String
            /// Whether a clock stands before it.
            public var hasClock: Bool
        }

        /// The lines from top to bottom.
        public var lines: [Line]
        /// The room of the lines.
        public var frame: Rectangle
    }

    /// The mark of an initial state: a dot with an arrow to the state's border.
    public struct Mark: Hashable, Sendable {
        /// The id of the state.
        public var node: String
        /// The middle of the dot.
        public var dot: Point
        /// The arrow's end on the border.
        public var end: Point
    }

    /// A dashed line between two regions.
    public struct Separator: Hashable, Sendable {
        /// One end.
        public var start: Point
        /// The other end.
        public var end: Point
    }

    /// Points.
    public var width: Double
    /// Points.
    public var height: Double
    /// The nodes; each before those inside it.
    public var boxes: [Box]
    /// The edges.
    public var paths: [Path]
    /// The texts of the edges.
    public var labels: [Label]
    /// The marks of initial states.
    public var marks: [Mark]
    /// The lines between regions.
    public var separators: [Separator]
}
