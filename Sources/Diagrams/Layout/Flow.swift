/// The direction in which layers follow each other. Layouts are made of *cross* and *flow*: along a
/// layer, and from layer to layer.
enum Flow {
    /// From top to bottom: cross is *x*.
    case down
    /// From left to right: cross is *y*.
    case right

    func point(cross: Double, flow: Double) -> Diagram.Point {
        switch self {
        case .down: Diagram.Point(x: cross, y: flow)
        case .right: Diagram.Point(x: flow, y: cross)
        }
    }

    func frame(_ frame: FlowFrame) -> Diagram.Rectangle {
        switch self {
        case .down:
            Diagram.Rectangle(
                x: frame.cross, y: frame.flow, width: frame.crossSize, height: frame.flowSize)
        case .right:
            Diagram.Rectangle(
                x: frame.flow, y: frame.cross, width: frame.flowSize, height: frame.crossSize)
        }
    }
}
