import Testing
import Transducers

/// A machine under test. The test states its behavior step by step: everything that happens must be
/// stated, and everything that is stated must happen.
///
/// ```swift
/// let timer = TestTransducer<EggTimer>(initialState: .idle)
/// await timer.send(.start(minutes: 3)) { $0 = .running(minutes: 3) }
/// timer.expectEffect(id: "bell")
/// await timer.advance(by: .seconds(180))
/// await timer.receive(.rang) { $0 = .done }
/// timer.expect(output: .ring)
/// await timer.finish()
/// ```
///
/// `run` runs the machine, and this class reads its trace. The trace is ahead of the test: when
/// `send` returns, everything that follows from the event has happened, except what waits for time
/// or for the outside. ``receive(_:_:sourceLocation:)`` then states it event by event, immediate
/// events too.
///
/// **Order.** The machine, its effects and the actors that effects call run on one executor, one
/// job at a time, in the order in which they became ready. Only where several wait for an actor,
/// the one with the highest priority is first. So all runs of a test are alike. Work elsewhere (on
/// the main actor, on an actor with its own executor, in a task that an effect starts and doesn't
/// wait for) isn't in that order; `receive` and `finish` wait for it, for at most ``timeout`` of
/// real time.
///
/// **Isolation.** Use it in the isolation where it was made: methods run in their caller's, so
/// closures may use all values of the test. States, events and outputs need not be sendable, but
/// should be values: the test and the machine share objects.
public final class TestTransducer<Machine: RunnableTransducer & SendableMetatype>
where Machine.State: Equatable {
    /// An event that the machine handled, and its result.
    struct Happening {
        let event: Machine.Event
        let result: Result

        enum Result {
            case applied(after: Machine.State, output: Machine.Output)
            case refused(any Error)
        }
    }

    /// An effect that runs, or has run.
    struct EffectRun {
        let id: EffectRunID
        let key: EffectKey
    }

    /// The state after the last event that was stated, right or wrong.
    public internal(set) var state: Machine.State

    /// The clock of the effects.
    public let clock: VirtualClock

    /// How much must be stated; may be changed at any time.
    public var exhaustivity = Exhaustivity.on

    /// The longest wait, in real time, for the work of effects on other executors. A safety net: a
    /// test that passes waits only as long as that takes. Zero for no wait.
    public var timeout = Duration.seconds(5)

    /// The longest time, in real time, that the machine may work before the test fails.
    var workMax = Duration.seconds(30)

    let executor = TestExecutor()
    let proxy = Machine.Proxy()
    let reporter: FailureReporter
    let birthplace: SourceLocation
    private let log = MachineLog<Machine>()

    /// Events that aren't stated yet, in order.
    var happenings: [Happening] = []
    /// Outputs of stated events that aren't stated yet.
    var outputs: [Machine.Output] = []
    /// Effects whose start isn't stated yet.
    var starts: [EffectRun] = []
    var live: [EffectRun] = []
    /// Canceled effects that aren't stated yet.
    var cancelled: [EffectRun] = []
    /// Failures without an event of the machine that aren't stated yet.
    var failures: [EffectFailure] = []
    private var failuresSeen = 0
    private var failuresLost = 0
    /// Refused events of effects that are in ``happenings``, or were there.
    private var refusalsSeen = 0

    private var sentCount = 0
    private var answeredCount = 0
    /// The answer to the event that was sent last.
    var verdict: SendVerdict?
    var hasEnded = false
    var endError: (any Error)?
    var isFinished = false

    /// Starts a machine.
    ///
    /// - Parameters:
    ///   - initialState: The initial state. Its initial output, if it has one, is the first to be
    ///     stated.
    ///   - env: The environment of its effects.
    ///   - clock: The clock of its effects; give the same one to the environment.
    ///   - seed: The seed of random delays.
    ///   - immediateEventsMax: The number of immediate events that one event may cause.
    ///   - reporter: The receiver of failures.
    ///   - place: The place of the call.
    public init(
        initialState: Machine.State, env: Machine.Env, clock: VirtualClock = VirtualClock(),
        seed: UInt64 = 0, immediateEventsMax: Int = RunLimits.immediateEvents,
        reporter: FailureReporter = .automatic,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        self.state = initialState
        self.clock = clock
        self.reporter = reporter
        self.birthplace = place
        if let output = Machine.initialOutput(initialState: initialState) { keep(output) }
        // Only the host uses the environment from now on. The test keeps a copy of the state,
        // which is a value.
        let host = TestHost(
            executor: executor, log: log, state: Handover(unchecked: initialState).take(),
            env: Handover(unchecked: env).take(), clock: clock, seed: seed,
            immediateEventsMax: immediateEventsMax)
        Task(executorPreference: executor) { [proxy] in await host.run(proxy: proxy) }
    }

    deinit {
        // After the last reading of the log: this end isn't to be stated.
        defer { proxy.cancel() }
        if isFinished || exhaustivity == .off { return }
        readLog()
        let leftovers = leftovers
        if !leftovers.isEmpty {
            fail(
                "The test transducer was dropped without finish(), and these things were not "
                    + "stated:\n\n\(leftovers)", at: birthplace)
        }
    }

    func fail(_ message: String, at place: SourceLocation) {
        reporter.report(TestFailure(message, at: place))
    }
}

extension TestTransducer where Machine.Env == Void {
    /// Starts a machine whose effects need no environment.
    ///
    /// - Parameters: As those of the other initializer.
    public convenience init(
        initialState: Machine.State, clock: VirtualClock = VirtualClock(), seed: UInt64 = 0,
        immediateEventsMax: Int = RunLimits.immediateEvents,
        reporter: FailureReporter = .automatic,
        sourceLocation place: SourceLocation = #_sourceLocation
    ) {
        self.init(
            initialState: initialState, env: (), clock: clock, seed: seed,
            immediateEventsMax: immediateEventsMax, reporter: reporter, sourceLocation: place)
    }
}

// MARK: - The machine

extension TestTransducer {
    /// Whether the machine still handles an event of the test: it awaits an action.
    var isBusy: Bool { sentCount > answeredCount }

    /// Whether the machine may still act without the test.
    private var mayContinue: Bool { isBusy || !live.isEmpty }

    /// Puts an event into the machine's inbox.
    func enqueue(_ event: sending Machine.Event) throws(TransducerError) {
        verdict = nil
        try proxy.channel.send(event, answer: { [log] in log.append(.answer($0)) })
        sentCount += 1
    }

    /// Waits until the machine can do nothing more now, and reads the log.
    nonisolated(nonsending) func waitUntilIdle(at place: SourceLocation) async {
        var hasRested = await executor.rested(within: workMax)
        // A run begins in a separate task, which reaches the executor indirectly.
        while hasRested {
            let rests = executor.restCount
            if log.hasBegun { break }
            hasRested = await executor.rested(after: rests, within: workMax)
        }
        readLog()
        // A canceled test, such as by its time limit, has been reported already.
        if !hasRested, !Task.isCancelled {
            fail(
                "The machine and its effects haven't come to rest within \(workMax): something "
                    + "works without end, or without waiting.", at: place)
        }
    }

    /// Waits until a condition holds, or can't hold any more, or ``timeout`` is over.
    nonisolated(nonsending) func wait(
        at place: SourceLocation, until isReached: () -> Bool
    ) async {
        let end = ContinuousClock.now.advanced(by: timeout)
        while true {
            await waitUntilIdle(at: place)
            let rests = executor.restCount
            readLog()
            if isReached() || !mayContinue { return }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, await executor.rested(after: rests, within: left) else { return }
        }
    }

    /// Reads the machine's log.
    func readLog() {
        for entry in log.removeAll() {
            switch entry {
            case .record(let record): apply(record)
            case .answer(let verdict):
                answeredCount += 1
                self.verdict = verdict
                if isRefusal(verdict) { refusalsSeen -= 1 }
            case .end(let error):
                hasEnded = true
                endError = error
            }
        }
        readFailures()
    }

    private func apply(_ record: TraceRecord<Machine>) {
        switch record {
        case .applied(let event, _, let after, let output):
            happenings.append(
                Happening(event: event, result: .applied(after: after, output: output)))
        case .refused(let event, _, let error):
            refusalsSeen += 1
            happenings.append(Happening(event: event, result: .refused(error)))
        case .effectStarted(let id, let key):
            let run = EffectRun(id: id, key: key)
            starts.append(run)
            live.append(run)
        case .effectEnded(let id, _), .effectFailed(let id, _):
            live.removeAll { $0.id == id }
        case .effectCancelled(let id, let key):
            live.removeAll { $0.id == id }
            cancelled.append(EffectRun(id: id, key: key))
        case .staleEvent: break
        }
    }

    private func isRefusal(_ verdict: SendVerdict) -> Bool {
        switch verdict {
        case .refused, .failed, .notApplied(.immediateEventLimit): true
        default: false
        }
    }

    /// Reads failures without an event from the run's report.
    private func readFailures() {
        let report = proxy.report
        let new = report.effectFailureCount - failuresSeen
        failuresSeen = report.effectFailureCount
        failures += report.effectFailures.suffix(new)
        failuresLost += max(0, new - report.effectFailures.count)
    }

    /// The number of refused events that aren't in the trace: those of an action.
    var unnamedRefusals: Int { max(0, proxy.report.refusedCount - refusalsSeen) }

    /// The number of failures that were too many to be kept.
    var lostFailures: Int { failuresLost }

    /// Keeps an output until it is stated.
    func keep(_ output: Machine.Output) {
        if !NoOutput.isSilent(output) { outputs.append(output) }
    }
}
