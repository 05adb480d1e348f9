public import Observation

/// A machine on the main actor with an observable state, for views and other users of the
/// Observation framework. It runs until its end, or until it is dropped.
@MainActor
public final class ObservableTransducer<Transducer: RunnableTransducer & SendableMetatype> {
    /// The machine's state.
    public typealias State = Transducer.State
    /// The machine's events.
    public typealias Event = Transducer.Event
    /// The machine's outputs.
    public typealias Output = Transducer.Output
    /// The environment of effects.
    public typealias Env = Transducer.Env
    /// The proxy that sends events.
    public typealias Proxy = Transducer.Proxy
    /// A handle that can send, but can't end the machine.
    public typealias Input = Transducer.Proxy.Input

    /// Receives the machine's end, once: the output of the last step, or the error; also when it
    /// was canceled, or dropped.
    public struct Completion {
        private let body: @MainActor (Result<Output, any Error>) -> Void

        /// Calls `onCompletion` at the end.
        public init(_ onCompletion: @escaping @MainActor (Result<Output, any Error>) -> Void) {
            body = onCompletion
        }

        /// Calls the closure with the machine's end.
        @MainActor
        public func completed(with result: Result<Output, any Error>) { body(result) }
    }

    /// Sends events.
    public let proxy: Proxy

    private let model: ObservedMachine<State>
    private var task: Task<Void, Never>?

    /// Starts a machine.
    ///
    /// - Parameters:
    ///   - transducer: The machine.
    ///   - initialState: Its state.
    ///   - proxy: Sends events; by default a new one.
    ///   - env: The environment of effects.
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
                        storage: model, proxy: proxy, env: env,
                        output: output, options: options))
            } catch {
                result = .failure(error)
            }
            model.isRunning = false
            completion?.completed(with: result)
        }
    }

    /// As `init(of:initialState:proxy:env:output:options:completion:)`, with a closure for its end.
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

    /// The present state.
    public var state: State { model.value }

    /// Whether the machine hasn't ended.
    public var isRunning: Bool { model.isRunning }

    /// Ends the machine. The state doesn't change.
    public func cancel() { proxy.cancel() }
}

extension ObservableTransducer: Observable {}

extension ObservableTransducer where Transducer.Env == Void {
    /// As `init(of:initialState:proxy:env:output:options:completion:)`, without environment.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, output: any Subject<Output> = NoCallback<Output>(),
        options: RunOptions<Transducer> = RunOptions(), completion: Completion? = nil
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: (), output: output,
            options: options, completion: completion)
    }

    /// As `init(of:initialState:proxy:env:output:options:completion:)`, without environment and
    /// with a closure for its end.
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

/// The observed state as the machine's storage: the machine runs on the main actor. A separate
/// object, so that the run doesn't keep its owner alive.
@MainActor
@Observable
final class ObservedMachine<State>: @MainActor Storage {
    var value: State
    var isRunning = true

    init(state: State) { value = state }
}
