import Dispatch
import Glibc
import GroveNetwork

/// Requests a graceful stop at the first SIGTERM or SIGINT, and ends the process at the second:
/// somebody who asks twice doesn't want to wait. SIGHUP requests a reload of the configuration.
///
/// The grace time is measured here, on a queue with its own thread, so that the process ends in
/// any case: effect handlers can block every thread of Swift's tasks, and a start can take long
/// (reliability.md, P12).
actor SignalWatch: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.signals")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var seen = 0
    private var sources: [any DispatchSourceSignal] = []
    private var first: (@Sendable () -> Void)?
    private var graceMilliseconds: Int64
    /// Ends the process at the end of the grace time.
    private var end: DispatchWorkItem?

    /// - Parameter graceMilliseconds: The longest time for a graceful stop, from its signal on.
    init(graceMilliseconds: Int64) {
        self.graceMilliseconds = graceMilliseconds
    }

    /// Starts watching; `first` is called at the first signal for a stop, `hangup` at each SIGHUP,
    /// both on this actor's queue. Returns when no signal can be missed any more; start nothing
    /// before.
    func start(
        first: @escaping @Sendable () -> Void, hangup: @escaping @Sendable () -> Void
    ) async {
        self.first = first
        for number in [SIGTERM, SIGINT] {
            await watch(number) { [weak self] in self?.assumeIsolated { $0.count() } }
        }
        await watch(SIGHUP, hangup)
    }

    /// Changes the grace time of a later stop.
    func setGrace(milliseconds: Int64) {
        graceMilliseconds = milliseconds
    }

    private func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) async {
        // Before the source is registered, which replaces this by its own handler.
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
        if seen > 1 { Self.kill() }
        let end = DispatchWorkItem { Self.kill() }
        self.end = end
        let grace = DispatchTimeInterval.milliseconds(Int(graceMilliseconds))
        executor.queue.asyncAfter(deadline: .now() + grace, execute: end)
        first?()
    }

    /// Ends the process as if killed: safe at any moment, because acknowledged requests are on the
    /// disk.
    private static func kill() -> Never {
        Glibc.kill(getpid(), SIGKILL)
        // The kernel ignores a signal of the first process of a container to itself. This is the
        // status that a shell shows of a killed process.
        _exit(128 + SIGKILL)
    }

    /// Ignores signals that would end the process for a closed connection or a file past its size
    /// limit: the system calls report these as errors (reliability.md, P8).
    static func ignoreFatal() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Cancels the end of the process: the stop has finished within its time.
    func disarm() {
        end?.cancel()
    }
}
