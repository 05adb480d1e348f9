/// An environment for each machine of a pair.
public struct PairEnv<First, Second> {
    /// What effects of the first machine are given.
    public var first: First
    /// What effects of the second machine are given.
    public var second: Second

    /// An environment of two.
    public init(first: First, second: Second) {
        self.first = first
        self.second = second
    }
}

extension PairEnv: Sendable where First: Sendable, Second: Sendable {}

extension PairEnv where First == Void, Second == Void {
    /// The environment of two machines that need none.
    public init() { self.init(first: (), second: ()) }
}

extension PairTransducer where Env == PairEnv<First.Env, Second.Env> {
    /// The first of the two.
    public static func firstEnv(_ env: Env) -> First.Env { env.first }
    /// The second of the two.
    public static func secondEnv(_ env: Env) -> Second.Env { env.second }
}

/// A pair whose machines both work with the pair's own environment.
///
///     enum Both: ParallelTransducer, SharesEnvironment { … }
public protocol SharesEnvironment: PairTransducer
where First.Env == Env, Second.Env == Env {
    associatedtype Env = First.Env
}

extension SharesEnvironment {
    /// The pair's own.
    public static func firstEnv(_ env: Env) -> First.Env { env }
    /// The pair's own.
    public static func secondEnv(_ env: Env) -> Second.Env { env }
}

extension PairTransducer where First.Env == Void {
    /// None is needed.
    public static func firstEnv(_ env: Env) -> First.Env { () }
}

extension PairTransducer where Second.Env == Void {
    /// None is needed.
    public static func secondEnv(_ env: Env) -> Second.Env { () }
}

// Where two of the above fit, the compiler wants to be told which one is meant.

extension PairTransducer where Env == PairEnv<First.Env, Second.Env>, First.Env == Void {
    /// None is needed.
    public static func firstEnv(_ env: Env) -> First.Env { () }
}

extension PairTransducer where Env == PairEnv<First.Env, Second.Env>, Second.Env == Void {
    /// None is needed.
    public static func secondEnv(_ env: Env) -> Second.Env { () }
}

// MARK: - Running without environment

extension PairTransducer where Env == PairEnv<Void, Void> {
    /// Runs the pair with a state of its own until it is terminal.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), output: some Subject<Output>,
        options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            initialState: initialState, proxy: proxy, env: PairEnv(), output: output,
            options: options, systemActor: systemActor)
    }

    /// Runs the pair with a state of its own until it is terminal, and drops its outputs.
    ///
    /// Else as `run(storage:proxy:env:output:options:systemActor:)`.
    @discardableResult
    public static func run(
        initialState: State, proxy: Proxy = Proxy(), options: RunOptions<Self> = RunOptions(),
        systemActor: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        try await run(
            initialState: initialState, proxy: proxy, env: PairEnv(), options: options,
            systemActor: systemActor)
    }
}
