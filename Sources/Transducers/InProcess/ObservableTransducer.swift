public import Observation

/// A machine on the main actor whose state can be observed: for views, and for whatever else uses
/// the Observation framework. It runs from its making until its end, or until it is dropped.
@MainActor
public final class ObservableTransducer<Transducer: RunnableTransducer & SendableMetatype> {
    /// The machine's state.
    public typealias State = Transducer.State
    /// The machine's events.
    public typealias Event = Transducer.Event
    /// The machine's outputs.
    public typealias Output = Transducer.Output
    /// What effects are given to work with.
    public typealias Env = Transducer.Env
    /// What events are sent by.
    public typealias Proxy = Transducer.Proxy
    /// A handle that can send, but can't end the machine.
    public typealias Input = Transducer.Proxy.Input

    /// Told how the machine ended, once: the output of the last step, or why there is none; also
    /// when it was cancelled, or dropped with its host.
    public struct Completion {
        private let body: @MainActor (Result<Output, any Error>) -> Void

        /// Tells `onCompletion`.
        public init(_ onCompletion: @escaping @MainActor (Result<Output, any Error>) -> Void) {
            body = onCompletion
        }

        /// Tells how the machine ended.
        @MainActor
        public func completed(with result: Result<Output, any Error>) { body(result) }
    }

    /// What events are sent by.
    public let proxy: Proxy

    private let model: ObservedMachine<State>
    private var task: Task<Void, Never>?

    /// Starts a machine.
    ///
    /// - Parameters:
    ///   - transducer: Which machine.
    ///   - initialState: Its state.
    ///   - proxy: What events are sent by; one made for it, by default.
    ///   - env: What effects are given to work with.
    ///   - output: Receives the outputs; by default, they are discarded.
    ///   - options: Bounds, clock and trace.
    ///   - completion: Called with the machine's end, once.
    public init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, env: Env, output: any Subject<Output> = NoCallback<Output>(),
        options: RunOptions<Transducer> = RunOptions(), completion: Completion? = nil
    ) {
        let proxy = proxy ?? Proxy()
        self.proxy = proxy
        let model = ObservedMachine(state: initialState)
        self.model = model
        task = Task {
            let result: Result<Output, any Error>
            do {
                result = .success(
                    try await Transducer.run(
                        storage: ObservedStorage(model: model), proxy: proxy, env: env,
                        output: output, options: options))
            } catch {
                result = .failure(error)
            }
            model.isRunning = false
            completion?.completed(with: result)
        }
    }

    /// Starts a machine, with a closure for its end.
    ///
    /// - Parameters: As those of
    ///   `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, env: Env, output: any Subject<Output> = NoCallback<Output>(),
        options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: env, output: output,
            options: options, completion: Completion(completion))
    }

    deinit { task?.cancel() }

    /// The state as it is now.
    public var state: State { model.state }

    /// Whether the machine has not ended.
    public var isRunning: Bool { model.isRunning }

    /// Ends the machine. The state stays as it is.
    public func cancel() { proxy.cancel() }
}

extension ObservableTransducer: Observable {}

extension ObservableTransducer where Transducer.Env == Void {
    /// Starts a machine whose effects need no environment.
    ///
    /// - Parameters: As those of `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, output: any Subject<Output> = NoCallback<Output>(),
        options: RunOptions<Transducer> = RunOptions(), completion: Completion? = nil
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: (), output: output,
            options: options, completion: completion)
    }

    /// Starts a machine whose effects need no environment, with a closure for its end.
    ///
    /// - Parameters: As those of `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, output: any Subject<Output> = NoCallback<Output>(),
        options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: (), output: output,
            options: options, completion: Completion(completion))
    }
}

/// What there is to observe. Apart from the host, so that the machine doesn't keep the host
/// alive.
@MainActor
@Observable
final class ObservedMachine<State> {
    var state: State
    var isRunning = true

    init(state: State) { self.state = state }
}

/// The observed state as the machine's storage: the machine runs on the main actor, where its
/// host was made.
@MainActor
private struct ObservedStorage<State>: @MainActor Storage {
    let model: ObservedMachine<State>

    var value: State {
        get { model.state }
        nonmutating set { model.state = newValue }
    }
}
