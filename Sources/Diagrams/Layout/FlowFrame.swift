/// A rectangle along the layers and across them.
struct FlowFrame: Hashable {
    var cross = 0.0
    var flow = 0.0
    var crossSize = 0.0
    var flowSize = 0.0

    var crossEnd: Double { cross + crossSize }
    var flowEnd: Double { flow + flowSize }
}
