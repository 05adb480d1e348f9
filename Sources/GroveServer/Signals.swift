import Dispatch
import Glibc
import GroveNetwork

/// What the process does about signals, besides the first SIGTERM or SIGINT, which
/// `Server.run()` takes as the wish for a graceful stop.
enum Signals {
    /// A client that is gone and a file past its size limit are errors of the call that meets
    /// them, not the end of the process (reliability.md, P8).
    static func ignoreFatal() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends the process as if killed: safe at any moment, because whatever was acknowledged is
    /// on the disk.
    static func kill() -> Never {
        Glibc.kill(getpid(), SIGKILL)
        // The signal may take a moment to arrive.
        while true { pause() }
    }
}

/// Takes the first SIGTERM or SIGINT as the wish for a graceful stop, and ends the process at the
/// second: somebody who asks twice doesn't want to wait. SIGHUP is the wish for another
/// configuration.
///
/// The grace time is kept here, on a queue with a thread of its own. Handlers of effects can block
/// every thread on which Swift's tasks run, and a start can take long; the process ends all the
/// same (reliability.md, P12).
actor SignalWatch: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.signals")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var seen = 0
    private var sources: [any DispatchSourceSignal] = []
    private var first: (@Sendable () -> Void)?
    private var graceMilliseconds: Int64
    /// What ends the process at the end of the grace time.
    private var end: DispatchWorkItem?

    /// - Parameter graceMilliseconds: How long a graceful stop may take, from its signal on.
    init(graceMilliseconds: Int64) {
        self.graceMilliseconds = graceMilliseconds
    }

    /// Begins to watch; `first` is called at the first signal that asks for the end, `hangup` at
    /// each SIGHUP, both on this actor's queue. Returns when no signal can be missed any more;
    /// nothing is to be started before.
    func start(
        first: @escaping @Sendable () -> Void, hangup: @escaping @Sendable () -> Void
    ) async {
        self.first = first
        for number in [SIGTERM, SIGINT] {
            await watch(number) { [weak self] in self?.assumeIsolated { $0.count() } }
        }
        await watch(SIGHUP, hangup)
    }

    /// Changes the grace time of a stop that is still to come.
    func setGrace(milliseconds: Int64) {
        graceMilliseconds = milliseconds
    }

    private func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) async {
        // Before the source is there: registering it replaces this by a handler of its own.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: executor.queue)
        source.setEventHandler(handler: handler)
        sources.append(source)
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.resume()
        }
    }

    private func count() {
        seen += 1
        if seen > 1 { Signals.kill() }
        let end = DispatchWorkItem { Signals.kill() }
        self.end = end
        let grace = DispatchTimeInterval.milliseconds(Int(graceMilliseconds))
        executor.queue.asyncAfter(deadline: .now() + grace, execute: end)
        first?()
    }

    /// Lets the process live on: the stop is over within its time.
    func disarm() {
        end?.cancel()
    }
}
