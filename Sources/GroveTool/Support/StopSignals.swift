import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Turns the first SIGINT or SIGTERM into a call; a second one ends the process as usual.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `handler` once, on a queue of its own, for as long as this object lives.
    init(handler: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "grove.signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                signal(number, SIG_DFL)
                handler()
            }
            source.activate()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }
}
