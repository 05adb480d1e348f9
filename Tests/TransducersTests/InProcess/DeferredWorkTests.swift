import Dispatch
import Testing
import Transducers

/// The order of what a host does after a step.
@Suite("DeferredWork", .timeLimit(.minutes(1)))
struct DeferredWorkTests {
    /// Asks for an effect at each event.
    enum Bell: EffectTransducer {
        struct State: NonTerminal { var count = 0 }
        enum Event: Sendable { case ring, act, hush }
        typealias Output = Int
        struct Env: Sendable { let acting = Signal() }

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            state.count += 1
            let effect: Effect =
                switch event {
                case .ring: .fireAndForget(id: "ring", policy: .coexist) { _, _ in }
                case .act:
                    Effect(action: { env in
                        env.acting.fire()
                        return []
                    })
                case .hush: .cancel(id: "ring")
                }
            return (effect, state.count)
        }
    }

    /// Notes each task that it gets.
    final class NotingExecutor: TaskExecutor {
        let notes = Notes<String>()

        func enqueue(_ job: consuming ExecutorJob) {
            notes.add("start")
            let job = UnownedJob(job)
            DispatchQueue.global().async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }
    }

    let executor = NotingExecutor()

    var options: RunOptions<Bell> {
        var options = RunOptions<Bell>()
        options.executor = executor
        return options
    }

    @Test func `a driver delivers outputs, then starts effects`() async throws {
        let notes = executor.notes
        let driver = SynchronousDriver(
            of: Bell.self, initialState: .init(), env: .init(), options: options,
            output: { notes.add("output \($0)") })
        try driver.send(.ring)
        try driver.send(.ring)
        // The end of the first effect may come in between: its thread then starts the second one.
        await until { notes.values.count >= 4 }
        #expect(notes.values == ["output 1", "start", "output 2", "start"])
    }

    @Test func `an actor host delivers outputs, then starts effects`() async throws {
        let notes = executor.notes
        let host = ActorHost(
            of: Bell.self, initialState: .init(), env: .init(), options: options,
            output: { notes.add("output \($0)") })
        try await host.send(.ring)
        #expect(notes.values == ["output 1", "start"])
    }

    @Test func `effects start before the outputs of an event that a callback sends`() throws {
        let notes = executor.notes
        let held = Notes<SynchronousDriver<Bell>>()
        held.add(
            SynchronousDriver(
                of: Bell.self, initialState: .init(), env: .init(), options: options,
                output: { count in
                    notes.add("output \(count)")
                    if count < 3 { try? held.values[0].send(.ring) }
                }))
        try held.values[0].send(.ring)
        #expect(
            notes.values == ["output 1", "start", "output 2", "start", "output 3", "start"])
    }

    @Test func `an effect that is cancelled before its start runs no code`() throws {
        let notes = executor.notes
        let held = Notes<SynchronousDriver<Bell>>()
        held.add(
            SynchronousDriver(
                of: Bell.self, initialState: .init(), env: .init(), options: options,
                output: { count in
                    notes.add("output \(count)")
                    if count == 1 { try? held.values[0].send(.hush) }
                }))
        try held.values[0].send(.ring)
        #expect(notes.values == ["output 1", "output 2"])
    }

    @Test func `an action of a step with outputs is awaited, also when it is cancelled before`()
        async throws
    {
        let (env, ended) = (Bell.Env(), Signal())
        let held = Notes<SynchronousDriver<Bell>>()
        held.add(
            SynchronousDriver(
                of: Bell.self, initialState: .init(), env: env,
                output: { count in
                    if count == 3 { held.values[0].cancel() }
                }, completion: { _ in ended.fire() }))
        try held.values[0].send(.act)
        await env.acting.wait()
        await until { held.values[0].state.count == 1 }
        try held.values[0].send(.hush)
        await until { held.values[0].waitingCount == 0 }
        try held.values[0].send(.act)
        await ended.wait()
        #expect(throws: TransducerError.ended) { try held.values[0].send(.ring) }
    }
}
