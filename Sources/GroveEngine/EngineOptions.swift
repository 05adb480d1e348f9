public import Transducers

/// The bounds of an engine that its host may choose.
public struct EngineOptions: Sendable {
    /// Instances kept in memory; idle ones past it are dropped and read again when needed.
    public var residentInstancesMax = Limits.residentInstancesDefault

    /// Bytes that the states and effects of instances in memory have, as they are stored; idle
    /// instances past it are dropped and read again when needed.
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

    /// The handlers that effects may ask for.
    public var handlers: [String: HandlerTraits] = [:]

    /// Where tokens, jitter and random spacing come from. A server gives the system's; the
    /// default repeats itself, for tests.
    public var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 0)

    /// Whoever notes for whom code of a machine runs; `nil` for nobody.
    public var witness: (any StepWitness & Sendable)?

    /// The bounds of one step.
    public var step = StepLimits(
        immediateEvents: Limits.immediateEventsMax, outputs: Limits.outputsPerStepMax,
        outputBytes: Limits.outputBytesPerStepMax, stateBytes: Limits.stateBytesMax)

    /// The default bounds.
    public init() {}
}
