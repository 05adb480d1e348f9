// The forms of `run` for machines whose effects need no environment: the same without `env`.

extension RunnableTransducer where Env == Void {
    /// As `run(storage:proxy:env:output:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run(
        storage: some Storage<State>, proxy: Proxy = Proxy(), output: some Subject<Output>,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            storage: storage, proxy: proxy, env: (), output: output, options: options,
            systemActor: systemActor)
    }

    /// As `run(storage:proxy:env:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run(
        storage: some Storage<State>, proxy: Proxy = Proxy(),
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            storage: storage, proxy: proxy, env: (), options: options,
            systemActor: systemActor)
    }

    /// As `run(initialState:proxy:env:output:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), output: some Subject<Output>,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            initialState: initialState, proxy: proxy, env: (), output: output,
            options: options, systemActor: systemActor)
    }

    /// As `run(initialState:proxy:env:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            initialState: initialState, proxy: proxy, env: (), options: options,
            systemActor: systemActor)
    }

    /// As `run(state:host:proxy:env:output:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run<Host: AnyObject>(
        state: ReferenceWritableKeyPath<Host, State>, host: Host, proxy: Proxy = Proxy(),
        output: some Subject<Output>, options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            state: state, host: host, proxy: proxy, env: (), output: output, options: options,
            systemActor: systemActor)
    }

    /// As `run(state:host:proxy:env:options:systemActor:)`.
    @inlinable
    @discardableResult
    public static func run<Host: AnyObject>(
        state: ReferenceWritableKeyPath<Host, State>, host: Host, proxy: Proxy = Proxy(),
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            state: state, host: host, proxy: proxy, env: (), options: options,
            systemActor: systemActor)
    }
}
