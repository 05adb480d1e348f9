import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Turns the first SIGINT or SIGTERM into a call; a second one ends the process as usual.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `handler` with the signal's number on a queue of its own, for as long as this object
    /// lives. A signal that comes after this returns is not missed; so make it before there is
    /// anything to stop.
    init(handler: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "grove.signals")
        let registered = DispatchSemaphore(value: 0)
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                signal(number, SIG_DFL)
                handler(number)
            }
            source.setRegistrationHandler { registered.signal() }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    deinit { for source in sources { source.cancel() } }
}
