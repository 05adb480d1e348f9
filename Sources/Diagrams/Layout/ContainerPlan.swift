/// The places inside one container, from its own first corner.
struct ContainerPlan {
    /// The least size.
    var crossSize = 0.0
    var flowSize = 0.0
    /// The place of each vertex across the layers: of its middle or, for a label, of its path.
    var places: [Double] = []
    /// The beginning and the end of each layer.
    var layers: [(start: Double, end: Double)] = []
    /// The frames of the children.
    var children: [Int: FlowFrame] = [:]
}
