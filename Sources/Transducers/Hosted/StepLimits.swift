/// The bounds of one step.
public struct StepLimits: Sendable {
    /// Immediate events that one external event may cause.
    public var immediateEvents: Int
    /// Outputs of a step.
    public var outputs: Int
    /// Bytes of JSON of all outputs of a step, and of its effects.
    public var outputBytes: Int
    /// Bytes of the state after the step as JSON.
    public var stateBytes: Int

    /// The bounds of a step.
    public init(immediateEvents: Int, outputs: Int, outputBytes: Int, stateBytes: Int) {
        self.immediateEvents = immediateEvents
        self.outputs = outputs
        self.outputBytes = outputBytes
        self.stateBytes = stateBytes
    }

    /// No bounds.
    public static let unbounded = StepLimits(
        immediateEvents: .max, outputs: .max, outputBytes: .max, stateBytes: .max)
}
