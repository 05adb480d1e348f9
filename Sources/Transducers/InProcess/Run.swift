extension RunnableTransducer {
    /// Runs the machine until its state is terminal, on the actor of the caller. For a caller
    /// without an actor, it makes one for the run, and then always waits for the present callback
    /// or action and for the tasks of all effects, also when the run is canceled: they may use what
    /// the caller lends. On the caller's actor, a canceled run doesn't wait for these.
    ///
    /// One call is one life of a machine. Events are applied in the order in which they were sent.
    /// Each is completed, with its immediate events, its outputs delivered and its effects started,
    /// before the next one. At the end, live effects are canceled, those of the last step are
    /// awaited, and waiting events are answered.
    ///
    /// - Parameters:
    ///   - storage: Holds the state, and the initial one.
    ///   - proxy: Sends events; it serves one run. Without one, no events can be sent: for a
    ///     machine that begins in a terminal state.
    ///   - env: The environment of effects.
    ///   - output: Receives the outputs; the machine waits for each call.
    ///   - options: Bounds, clock and trace.
    ///   - systemActor: The actor that the machine runs on.
    /// - Returns: The output of the step that ended it, or the initial output of a machine whose
    ///   initial state is terminal.
    /// - Throws: ``TransducerError/proxyAlreadyInUse``; ``TransducerError/noOutputProduced``;
    ///   ``TransducerError/cancelled`` or the error given to `proxy.cancel(with:)`;
    ///   `CancellationError` when the task was cancelled; what `output` threw. Never what an
    ///   effect or `update` threw.
    @inlinable
    @discardableResult
    public static func run<Store: Storage<State>, Sink: Subject<Output>>(
        storage: Store, proxy: Proxy = Proxy(), env: Env, output: Sink,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        // Used only on the machine's actor from here on: the caller's, or one that the caller
        // awaits.
        let loop = Handover(
            unchecked: RunLoop<Self, Store, Sink>(
                storage: storage, channel: proxy.channel, env: env, sink: output,
                options: options
            ) { try await $0.run(on: $1) })
        if let systemActor { return try await RunLoop.supervise(loop, on: systemActor) }
        return try await RunActor().supervise(loop)
    }

    /// As `run(storage:proxy:env:output:options:systemActor:)`, but drops the outputs.
    @inlinable
    @discardableResult
    public static func run(
        storage: some Storage<State>, proxy: Proxy = Proxy(), env: Env,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            storage: storage, proxy: proxy, env: env, output: NoCallback<Output>(),
            options: options, systemActor: systemActor)
    }

    /// As `run(storage:proxy:env:output:options:systemActor:)`, with its own storage.
    @inlinable
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), env: Env, output: some Subject<Output>,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            storage: LocalStorage(value: initialState), proxy: proxy, env: env, output: output,
            options: options, systemActor: systemActor)
    }

    /// As `run(initialState:proxy:env:output:options:systemActor:)`, but drops the outputs.
    @inlinable
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), env: Env,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            initialState: initialState, proxy: proxy, env: env, output: NoCallback<Output>(),
            options: options, systemActor: systemActor)
    }

    /// As `run(storage:proxy:env:output:options:systemActor:)`, with the property `state` of `host`
    /// as the storage; `host` is kept alive.
    @inlinable
    @discardableResult
    public static func run<Host: AnyObject>(
        state: ReferenceWritableKeyPath<Host, State>, host: Host, proxy: Proxy = Proxy(),
        env: Env, output: some Subject<Output>, options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            storage: ReferenceKeyPathStorage(host: host, keyPath: state), proxy: proxy,
            env: env, output: output, options: options, systemActor: systemActor)
    }

    /// As `run(state:host:proxy:env:output:options:systemActor:)`, but drops the outputs.
    @inlinable
    @discardableResult
    public static func run<Host: AnyObject>(
        state: ReferenceWritableKeyPath<Host, State>, host: Host, proxy: Proxy = Proxy(),
        env: Env, options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            state: state, host: host, proxy: proxy, env: env, output: NoCallback<Output>(),
            options: options, systemActor: systemActor)
    }
}
