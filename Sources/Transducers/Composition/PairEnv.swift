/// An environment for each machine of a pair.
public struct PairEnv<First, Second> {
    /// The environment of the first machine's effects.
    public var first: First
    /// The environment of the second machine's effects.
    public var second: Second

    /// An environment of two.
    public init(first: First, second: Second) {
        self.first = first
        self.second = second
    }
}

extension PairEnv: Sendable where First: Sendable, Second: Sendable {}

extension PairEnv where First == Void, Second == Void {
    /// The environment of two machines without one.
    public init() { self.init(first: (), second: ()) }
}

extension PairTransducer where Env == PairEnv<First.Env, Second.Env> {
    /// The first of the two.
    public static func firstEnv(_ env: Env) -> First.Env { env.first }
    /// The second of the two.
    public static func secondEnv(_ env: Env) -> Second.Env { env.second }
}

/// A pair whose machines both use the pair's environment.
///
///     enum Both: ParallelTransducer, SharesEnvironment { … }
public protocol SharesEnvironment: PairTransducer
where First.Env == Env, Second.Env == Env {
    associatedtype Env = First.Env
}

extension SharesEnvironment {
    /// The pair's environment.
    public static func firstEnv(_ env: Env) -> First.Env { env }
    /// The pair's environment.
    public static func secondEnv(_ env: Env) -> Second.Env { env }
}

extension PairTransducer where First.Env == Void {
    /// `Void`: the machine has no environment.
    public static func firstEnv(_ env: Env) -> First.Env { () }
}

extension PairTransducer where Second.Env == Void {
    /// `Void`: the machine has no environment.
    public static func secondEnv(_ env: Env) -> Second.Env { () }
}

// Where two of the above apply, the compiler needs the more special one.

extension PairTransducer where Env == PairEnv<First.Env, Second.Env>, First.Env == Void {
    /// `Void`: the machine has no environment.
    public static func firstEnv(_ env: Env) -> First.Env { () }
}

extension PairTransducer where Env == PairEnv<First.Env, Second.Env>, Second.Env == Void {
    /// `Void`: the machine has no environment.
    public static func secondEnv(_ env: Env) -> Second.Env { () }
}

// MARK: - Running without environment

extension PairTransducer where Env == PairEnv<Void, Void> {
    /// As `run(initialState:proxy:env:output:options:systemActor:)`.
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

    /// As `run(initialState:proxy:env:options:systemActor:)`.
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
