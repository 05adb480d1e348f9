/// How a machine is run in process. The defaults suit nearly everybody.
public struct RunOptions<Machine: BaseTransducer> {
    /// How many immediate events one external event may cause; beyond it the whole event is
    /// refused. `nil` for no bound: then a step can't be taken back, and outputs are delivered
    /// as they come.
    public var immediateEventsMax: Int?

    /// The clock that effects wait by.
    public var clock: any Clock<Duration>

    /// How many events of effects may wait.
    public var effectBufferSize: Int

    /// The seed of the random delays of effect queues; `nil` for one that is different each time.
    public var seed: UInt64?

    /// What the machine's effects may call (`perform`).
    public var handlers: EffectHandlers

    /// Told of everything that happens, in order, on the machine's actor.
    public var trace: ((TraceRecord<Machine>) -> Void)?

    /// Where the tasks of the machine and its effects run, so that a test has a say in their
    /// order; `nil` for anywhere. The machine itself runs on its actor all the same.
    package var executor: (any TaskExecutor)?

    /// Options, by default those that suit nearly everybody.
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
