import Dispatch
import Glibc

/// Calls a handler at the first SIGINT or SIGTERM; a second signal ends the process as usual.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `handler` with the signal's number on a separate queue while this object lives. No
    /// signal is missed once this returns; so call it before there is anything to stop.
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
