/// The surroundings of one step.
public struct StepContext: Sendable {
    /// The bounds.
    public var limits: StepLimits
    /// The time of the step in milliseconds since 1970, as the journal has it.
    public var time: Int64
    /// The number of steps that the instance has committed.
    public var version: Int64

    /// The surroundings of a step.
    public init(limits: StepLimits, time: Int64 = 0, version: Int64 = 0) {
        self.limits = limits
        self.time = time
        self.version = version
    }
}
