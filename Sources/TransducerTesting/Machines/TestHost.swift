import Transducers

/// The actor that a machine under test runs on.
actor TestHost<Machine: RunnableTransducer & SendableMetatype> {
    private nonisolated let executor: TestExecutor
    private nonisolated let ownExecutor: TestExecutor.ForActor
    private let log: MachineLog<Machine>
    private let state: Machine.State
    private let env: Machine.Env
    private let clock: VirtualClock
    private let seed: UInt64
    private let immediateEventsMax: Int

    init(
        executor: TestExecutor, log: MachineLog<Machine>, state: sending Machine.State,
        env: sending Machine.Env, clock: VirtualClock, seed: UInt64, immediateEventsMax: Int
    ) {
        self.state = state
        self.env = env
        self.clock = clock
        self.seed = seed
        self.immediateEventsMax = immediateEventsMax
        self.executor = executor
        self.ownExecutor = TestExecutor.ForActor(executor)
        self.log = log
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        ownExecutor.asUnownedSerialExecutor()
    }

    func run(proxy: Machine.Proxy) async {
        var options = RunOptions<Machine>(
            immediateEventsMax: immediateEventsMax, clock: clock, seed: seed,
            trace: { [log] in log.append(.record($0)) })
        options.executor = executor
        do {
            try await Machine.run(
                storage: TestStorage(value: state, log: log), proxy: proxy, env: env,
                options: options, systemActor: self)
            log.append(.end(nil))
        } catch {
            log.append(.end(error))
        }
    }
}

/// The state of a machine under test. A run reads it first of all, which tells that it has begun.
private final class TestStorage<Machine: RunnableTransducer & SendableMetatype>: Storage {
    private var state: Machine.State
    private let log: MachineLog<Machine>

    init(value: Machine.State, log: MachineLog<Machine>) {
        self.state = value
        self.log = log
    }

    var value: Machine.State {
        get {
            log.markBegun()
            return state
        }
        set { state = newValue }
    }
}
