import CEL

/// Something that an instance of a run processes.
struct RunDelivery: Sendable {
    enum Content: Sendable {
        /// The start, with the input of the context.
        case start(CELMap)
        case event(ChartEvent)
    }

    let to: String
    let content: Content
    /// The number of the invocation that sends it to its parent, which takes it only while that
    /// runs; nil for another delivery.
    var invocation: Int64?
}
