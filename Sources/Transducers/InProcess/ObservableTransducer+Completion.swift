// The initialisers of an observable machine once more, with a plain closure that gets the
// end.

extension ObservableTransducer {
    /// Starts a machine.
    ///
    /// - Parameters: As those of
    ///   `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, env: Env, output: some Subject<Output>,
        options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: env, output: output,
            options: options, completion: Completion(completion))
    }

    /// Starts a machine and drops its outputs.
    ///
    /// - Parameters: As those of
    ///   `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, env: Env, options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: env,
            options: options, completion: Completion(completion))
    }
}

extension ObservableTransducer where Transducer.Env == Void {
    /// Starts a machine whose effects need no environment.
    ///
    /// - Parameters: As those of `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, output: some Subject<Output>,
        options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: (), output: output,
            options: options, completion: Completion(completion))
    }

    /// Starts a machine whose effects need no environment, and drops its outputs.
    ///
    /// - Parameters: As those of
    ///   `init(of:initialState:proxy:env:output:options:completion:)`.
    public convenience init(
        of transducer: Transducer.Type = Transducer.self, initialState: State,
        proxy: Proxy? = nil, options: RunOptions<Transducer> = RunOptions(),
        completion: @escaping @MainActor (Result<Output, any Error>) -> Void
    ) {
        self.init(
            of: transducer, initialState: initialState, proxy: proxy, env: (),
            options: options, completion: Completion(completion))
    }
}
