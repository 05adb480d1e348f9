public import Transducers

/// The bounds of an engine that its host may choose.
public struct EngineOptions: Sendable {
    /// Instances kept in memory; above this, idle ones are dropped and read again when needed.
    public var residentInstancesMax = Limits.residentInstancesDefault

    /// Bytes of stored states and effects of instances in memory; above this, idle instances are
    /// dropped and read again when needed.
    public var residentBytesMax = Limits.residentBytesDefault

    /// Requests that may wait for one commit; more are answered `OVERLOADED`.
    public var queueRequestsMax = Limits.commitQueueRequestsDefault

    /// Bytes of subscription records that may be on their way to one connection before its
    /// subscriptions pause: half of the connection's `max_pending`.
    public var connectionWindow = 4 << 20

    /// Bytes of subscription records that may be on their way to all connections together before
    /// subscriptions pause that have some: half of the server's `max-buffers`.
    public var publicationsWindow = 128 << 20

    /// Closures of effects that run or wait; a step that asks for more is refused.
    public var closuresMax = Limits.closuresMax

    public var handlers: [String: HandlerTraits] = [:]

    /// The source of tokens, jitter and random spacing: the system's in a server; the default
    /// repeats itself, for tests.
    public var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 0)

    /// Records the instance whose machine's code runs; `nil` for no record.
    public var witness: (any StepWitness & Sendable)?

    public var step = StepLimits(
        immediateEvents: Limits.immediateEventsMax, outputs: Limits.outputsPerStepMax,
        outputBytes: Limits.outputBytesPerStepMax, stateBytes: Limits.stateBytesMax)

    public init() {}
}
