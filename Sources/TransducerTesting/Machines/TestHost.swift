import Transducers

/// The actor that a machine under test runs on.
actor TestHost<Machine: RunnableTransducer & SendableMetatype> {
    /// What a machine begins with.
    struct Beginning: @unchecked Sendable {
        // Goes to the host once; the environment is used there alone from then on. The test
        // keeps a copy of the state, which is a value.
        let state: Machine.State
        let env: Machine.Env
        let clock: VirtualClock
        let seed: UInt64
        let immediateEventsMax: Int
    }

    nonisolated let executor: TestExecutor
    private let log: MachineLog<Machine>

    init(executor: TestExecutor, log: MachineLog<Machine>) {
        self.executor = executor
        self.log = log
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs the machine to its end.
    func run(_ beginning: Beginning, proxy: Machine.Proxy) async {
        var options = RunOptions<Machine>(
            immediateEventsMax: beginning.immediateEventsMax, clock: beginning.clock,
            seed: beginning.seed, trace: { [log] in log.append(.record($0)) })
        options.effectExecutor = executor
        do {
            try await Machine.run(
                initialState: beginning.state, proxy: proxy, env: beginning.env,
                options: options, systemActor: self)
            log.append(.end(nil))
        } catch {
            log.append(.end(error))
        }
    }
}
