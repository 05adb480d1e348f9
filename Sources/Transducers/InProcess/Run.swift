extension RunnableTransducer {
    /// Runs the machine until its state is terminal, on the actor of the caller. A caller without
    /// one gets an actor made for the run, which then also waits for the tasks of all effects.
    ///
    /// One life of a machine is one call. Events are applied in the order in which they were
    /// sent; each is finished, with its immediate events, its outputs delivered and its effects
    /// started, before the next one is taken. At the end, effects that live are cancelled, those
    /// of the last step are waited for, and events that still wait are answered.
    ///
    /// - Parameters:
    ///   - storage: Where the state is kept; it begins with what is there.
    ///   - proxy: What events are sent by. It serves one run. Without one nobody
    ///     can send: for a machine that begins in a terminal state.
    ///   - env: What effects are given to work with.
    ///   - output: Receives the outputs; the machine waits until each has been taken.
    ///   - options: Bounds, clock and trace.
    ///   - systemActor: The actor the machine runs on.
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
        // Used on the machine's actor from here on: the caller's own, or one that the caller
        // waits for.
        let loop = Handover(
            unchecked: RunLoop<Self, Store, Sink>(
                storage: storage, channel: proxy.channel, env: env, sink: output,
                options: options
            ) { try await $0.run(on: $1) })
        if let systemActor { return try await RunLoop.supervise(loop, on: systemActor) }
        return try await RunActor().supervise(loop)
    }

    /// Runs the machine until its state is terminal, and drops its outputs.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
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

    /// Runs the machine with a state of its own until it is terminal.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
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

    /// Runs the machine with a state of its own until it is terminal, and drops its outputs.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
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

    /// Runs the machine on a property of an object until it is terminal. The property `state` of
    /// `host` holds the state; `host` is kept alive.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
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

    /// Runs the machine on a property of an object until it is terminal, and drops its outputs.
    ///
    /// Else as `run(state:host:proxy:env:output:options:systemActor:)`.
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
