import Transducers

/// The actor that a machine under test runs on.
actor TestHost<Machine: RunnableTransducer & SendableMetatype> {
    /// What a machine begins with.
    struct Beginning {
        let state: Machine.State
        let env: Machine.Env
        let clock: VirtualClock
        let seed: UInt64
        let immediateEventsMax: Int
    }

    private nonisolated let executor: TestExecutor
    private nonisolated let ownExecutor: TestExecutor.ForActor
    private let log: MachineLog<Machine>
    private let beginning: Beginning

    init(executor: TestExecutor, log: MachineLog<Machine>, beginning: sending Beginning) {
        self.beginning = beginning
        self.executor = executor
        self.ownExecutor = TestExecutor.ForActor(executor)
        self.log = log
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        ownExecutor.asUnownedSerialExecutor()
    }

    /// Runs the machine to its end.
    func run(proxy: Machine.Proxy) async {
        var options = RunOptions<Machine>(
            immediateEventsMax: beginning.immediateEventsMax, clock: beginning.clock,
            seed: beginning.seed, trace: { [log] in log.append(.record($0)) })
        options.executor = executor
        do {
            try await Machine.run(
                storage: TestStorage(value: beginning.state, log: log), proxy: proxy,
                env: beginning.env, options: options, systemActor: self)
            log.append(.end(nil))
        } catch {
            log.append(.end(error))
        }
    }
}

/// The state of a machine under test. The first thing a run does is to look at it.
private final class TestStorage<Machine: RunnableTransducer & SendableMetatype>: Storage {
    private var state: Machine.State
    private let log: MachineLog<Machine>

    init(value: Machine.State, log: MachineLog<Machine>) {
        self.state = value
        self.log = log
    }

    var value: Machine.State {
        get {
            log.begin()
            return state
        }
        set { state = newValue }
    }
}
