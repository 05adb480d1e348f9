import Glibc
import Synchronization

/// Distinguishes a trap in a machine's code from every other end of the process: signal handlers
/// record the signal of a trap in the watched slots, and then let it have its former effect.
/// SIGKILL, a power cut, and signals of other processes leave no record.
enum TrapSignals {
    /// The signals of a trap: Swift's own are SIGILL and SIGTRAP.
    static let numbers = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    // Unsafe: a signal handler may take no lock; entries are written under one.
    /// The slots; `nil` is free. Read by the handler, so never reallocated.
    nonisolated(unsafe) fileprivate static let slots = {
        let slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: slotsMax)
        slots.initialize(repeating: nil, count: slotsMax)
        return slots
    }()

    // Unsafe: written once, before the handlers are installed that read it.
    /// The former action of each signal.
    nonisolated(unsafe) fileprivate static let previous = {
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        actions.initialize(repeating: sigaction(), count: 65)
        return actions
    }()

    private static let isInstalled = Mutex(false)

    /// Watches a slot until ``unwatch(_:)``.
    ///
    /// - Returns: Whether there was room for it.
    static func watch(_ slot: UnsafeMutableRawPointer) -> Bool {
        isInstalled.withLock { isInstalled in
            guard let free = (0..<slotsMax).first(where: { slots[$0] == nil }) else {
                return false
            }
            slots[free] = slot
            if !isInstalled { install() }
            isInstalled = true
            return true
        }
    }

    /// Stops watching a slot; its memory may be freed then.
    static func unwatch(_ slot: UnsafeMutableRawPointer) {
        isInstalled.withLock { _ in
            for index in 0..<slotsMax where slots[index] == slot { slots[index] = nil }
        }
    }

    private static func install() {
        for number in numbers {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = recordTrap
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            sigaction(number, &action, previous + Int(number))
        }
    }
}

/// Records the signal and raises it again. Calls only functions that are safe in a signal handler
/// (signal-safety(7)).
private func recordTrap(
    _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    // From the kernel, or from the thread itself as with abort(3): not from another process.
    let origin = info?.pointee.si_code ?? 0
    if origin > 0 || (number == SIGABRT && origin == -6) {
        for index in 0..<TrapSignals.slotsMax {
            if let slot = TrapSignals.slots[index] { CrashSlot.record(signal: number, in: slot) }
        }
    }
    sigaction(number, TrapSignals.previous + Int(number), nil)
    // Delivered when this returns, with the former action.
    raise(number)
}
