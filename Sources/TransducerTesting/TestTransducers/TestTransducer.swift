import Testing
import Transducers

/// A machine that runs for a test, which states what it does step by step. What isn't stated is a
/// failure, and so is what was stated and doesn't happen.
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
/// The machine is run by `run`, as everywhere else; this class reads its trace. The trace runs
/// ahead of the test: when `send` returns, all that follows from the event has happened, as far
/// as it doesn't wait for time or for the outside. ``receive(_:_:sourceLocation:)``
/// then goes through it event by event, immediate ones too.
///
/// **Order.** Machine, effects and the actors that effects call run on one executor, one job at a
/// time, in the order in which they became ready; only where several wait for an actor, it takes
/// the one of the highest priority first. So two runs of a test are alike. What effects do
/// elsewhere (on the main actor, on an actor with an executor of its own, in a task that they
/// start and don't wait for) isn't in that order; `receive` and `finish` wait for it, for at most
/// ``timeout`` of real time.
///
/// **Isolation.** Use it in the isolation it was made in: methods run where their caller does,
/// so closures may use whatever the test has. States, events and outputs need not be sendable,
/// but should be values: an object that both the test and the machine hold is shared by them.
public final class TestTransducer<Machine: RunnableTransducer & SendableMetatype>
where Machine.State: Equatable {
    /// An event that the machine took, and what came of it.
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

    /// The time that effects wait by.
    public let clock: VirtualClock

    /// How much has to be stated; may be changed at any time.
    public var exhaustivity = Exhaustivity.on

    /// How long, in real time, to wait for what effects do elsewhere. A safety net: a test that
    /// passes waits only as long as that takes. Zero for not at all.
    public var timeout = Duration.seconds(5)

    /// How long the machine may work, in real time, before the test gives up on it.
    var workMax = Duration.seconds(30)

    let executor = TestExecutor()
    let proxy = Machine.Proxy()
    let reporter: FailureReporter
    let birthplace: SourceLocation
    private let log = MachineLog<Machine>()

    /// Events that aren't stated yet, first come, first.
    var happenings: [Happening] = []
    /// Outputs of stated events that aren't stated yet.
    var outputs: [Machine.Output] = []
    /// Effects whose start isn't stated yet.
    var starts: [EffectRun] = []
    /// Effects that run.
    var live: [EffectRun] = []
    /// Effects that were cancelled and not spoken of yet.
    var cancelled: [EffectRun] = []
    /// Failures that neither the machine nor the test has taken note of.
    var failures: [EffectFailure] = []
    private var failuresSeen = 0
    private var failuresLost = 0
    /// Refused events of effects that are in ``happenings``, or were.
    private var refusalsSeen = 0

    private var sentCount = 0
    private var answeredCount = 0
    /// What became of the event that was sent last.
    var verdict: SendVerdict?
    /// Whether the machine runs no more.
    var hasEnded = false
    /// The error that ended it.
    var endError: (any Error)?
    /// Whether the test has called `finish`.
    var isFinished = false

    /// Starts a machine.
    ///
    /// - Parameters:
    ///   - initialState: The state it begins with. Its initial output, if it has one, is the
    ///     first to be stated.
    ///   - env: What its effects are given to work with.
    ///   - clock: The time its effects wait by; give the same one to the environment.
    ///   - seed: The seed of random delays.
    ///   - immediateEventsMax: How many immediate events one event may cause.
    ///   - reporter: Where failures go.
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
        if let output = Machine.initialOutput(initialState: initialState) { take(output) }
        let beginning = TestHost<Machine>.Beginning(
            state: initialState, env: env, clock: clock, seed: seed,
            immediateEventsMax: immediateEventsMax)
        // The environment is used by the host alone from now on. The test keeps a copy of the
        // state, which is a value.
        let host = TestHost(
            executor: executor, log: log, beginning: Handover(unchecked: beginning).take())
        Task(executorPreference: executor) { [proxy] in await host.run(proxy: proxy) }
    }

    deinit {
        // After the look: being stopped isn't a thing to state.
        defer { proxy.cancel() }
        if isFinished || exhaustivity == .off { return }
        look()
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
    /// Whether the machine still works on an event that the test sent: it awaits an action.
    var isBusy: Bool { sentCount > answeredCount }

    /// Whether something may still happen without the test.
    private var mayGoOn: Bool { isBusy || !live.isEmpty }

    /// Puts an event into the machine's inbox.
    func put(_ event: sending Machine.Event) throws(TransducerError) {
        verdict = nil
        try proxy.channel.send(event, answer: { [log] in log.append(.answer($0)) })
        sentCount += 1
    }

    /// Waits until the machine has done all that it can do now, and takes note of it.
    nonisolated(nonsending) func settle(at place: SourceLocation) async {
        var hasRested = await executor.rested(within: workMax)
        // A run begins in a task of its own, which comes to the executor by a detour.
        while hasRested {
            let rests = executor.restCount
            if log.hasBegun { break }
            hasRested = await executor.rested(after: rests, within: workMax)
        }
        look()
        // A test that is cancelled, such as by its time limit, has been reported already.
        if !hasRested, !Task.isCancelled {
            fail(
                "The machine and its effects haven't come to rest within \(workMax): something "
                    + "works without end, or without waiting.", at: place)
        }
    }

    /// Waits until something is so, or can't become so, or the time is up.
    nonisolated(nonsending) func wait(
        at place: SourceLocation, until isReached: () -> Bool
    ) async {
        let end = ContinuousClock.now.advanced(by: timeout)
        while true {
            await settle(at: place)
            let rests = executor.restCount
            look()
            if isReached() || !mayGoOn { return }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, await executor.rested(after: rests, within: left) else { return }
        }
    }

    /// Takes note of what has happened.
    func look() {
        for entry in log.takeAll() {
            switch entry {
            case .record(let record): note(record)
            case .answer(let verdict):
                answeredCount += 1
                self.verdict = verdict
                if isRefusal(verdict) { refusalsSeen -= 1 }
            case .end(let error):
                hasEnded = true
                endError = error
            }
        }
        noteFailures()
    }

    private func note(_ record: TraceRecord<Machine>) {
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

    /// Failures are told to the machine, or stand in the run's report.
    private func noteFailures() {
        let report = proxy.report
        let new = report.effectFailureCount - failuresSeen
        failuresSeen = report.effectFailureCount
        failures += report.effectFailures.suffix(new)
        failuresLost += max(0, new - report.effectFailures.count)
    }

    /// Refused events that the trace doesn't name: those of an action.
    var unnamedRefusals: Int { max(0, proxy.report.refusedCount - refusalsSeen) }

    /// Failures that were too many at once to be kept.
    var lostFailures: Int { failuresLost }

    /// Keeps an output until it is stated.
    func take(_ output: Machine.Output) {
        if Machine.Output.self == Void.self { return }
        if let output = output as? any SilenceableOutput, output.isSilent { return }
        outputs.append(output)
    }
}
