/// Options of a machine that runs in process. The defaults suit most programs.
public struct RunOptions<Machine: BaseTransducer> {
    /// The number of immediate events that one external event may cause; above it, the whole event
    /// is refused. `nil` for no bound: then a step can't be undone, and outputs are delivered as
    /// they come.
    public var immediateEventsMax: Int?

    /// The clock of effects.
    public var clock: any Clock<Duration>

    /// The number of events of effects that may wait.
    public var effectBufferSize: Int

    /// The seed of the random delays of effect queues; `nil` for a random one.
    public var seed: UInt64?

    /// The handlers that effects may call (`perform`).
    public var handlers: EffectHandlers

    /// Receives a record of everything that happens, in order, on the machine's actor.
    public var trace: ((TraceRecord<Machine>) -> Void)?

    /// The executor of the tasks of the machine and its effects, so that a test controls their
    /// order; `nil` for any. The machine itself runs on its actor.
    package var executor: (any TaskExecutor)?

    /// Options with defaults that suit most programs.
    public init(
        immediateEventsMax: Int? = RunLimits.immediateEvents,
        clock: any Clock<Duration> = ContinuousClock(),
        effectBufferSize: Int = RunLimits.effectBufferSize, seed: UInt64? = nil,
        handlers: EffectHandlers = EffectHandlers(),
        trace: ((TraceRecord<Machine>) -> Void)? = nil
    ) {
        self.immediateEventsMax = immediateEventsMax
        self.clock = clock
        self.effectBufferSize = effectBufferSize
        self.seed = seed
        self.handlers = handlers
        self.trace = trace
    }
}
