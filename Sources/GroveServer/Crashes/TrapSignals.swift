import Glibc
import Synchronization

/// Distinguishes a trap in a machine's code from every other end of the process: signal handlers
/// record the signal of a trap in the watched slots, and then let it have its former effect.
/// SIGKILL, a power cut, and signals of other processes leave no record.
enum TrapSignals {
    /// The signals of a trap: Swift's own are SIGILL and SIGTRAP.
    static let numbers = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    /// The slots; `nil` is free. Read by the handler, which may take no lock: so atomic, and never
    /// reallocated.
    private static let slots = {
        let base = UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
            .allocate(capacity: slotsMax)
        for index in 0..<slotsMax { (base + index).initialize(to: Atomic(nil)) }
        return SignalMemory(base: base)
    }()

    /// The former action of each signal, written before the signal's handler is installed.
    fileprivate static let previous = {
        let base = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        base.initialize(repeating: sigaction(), count: 65)
        return SignalMemory(base: base)
    }()

    private static let isInstalled = Mutex(false)

    /// Watches a slot until ``unwatch(_:)``.
    ///
    /// - Returns: Whether there was room for it.
    static func watch(_ slot: UnsafeMutableRawPointer) -> Bool {
        isInstalled.withLock { isInstalled in
            guard let free = (0..<slotsMax).first(where: { self[$0] == nil }) else {
                return false
            }
            slots.base[free].store(slot, ordering: .releasing)
            if !isInstalled { install() }
            isInstalled = true
            return true
        }
    }

    /// Stops watching a slot; its memory may be freed then.
    static func unwatch(_ slot: UnsafeMutableRawPointer) {
        isInstalled.withLock { _ in
            for index in 0..<slotsMax where self[index] == slot {
                slots.base[index].store(nil, ordering: .releasing)
            }
        }
    }

    fileprivate static subscript(index: Int) -> UnsafeMutableRawPointer? {
        slots.base[index].load(ordering: .acquiring)
    }

    private static func install() {
        for number in numbers {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = recordTrap
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            sigaction(number, nil, previous.base + Int(number))
            sigaction(number, &action, nil)
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
            if let slot = TrapSignals[index] { CrashSlot.record(signal: number, in: slot) }
        }
    }
    sigaction(number, TrapSignals.previous.base + Int(number), nil)
    // Delivered when this returns, with the former action.
    raise(number)
}
