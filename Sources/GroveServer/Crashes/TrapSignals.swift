import Glibc
import Synchronization

/// Tells a trap in a machine's code from every other end of the process: handlers of the signals
/// of a trap note in the slots that are watched which signal it was, and let it do then what it
/// would have done without them. SIGKILL, a power cut, and signals that somebody sends leave no
/// note.
enum TrapSignals {
    /// The signals of a trap: Swift's own are SIGILL and SIGTRAP.
    static let numbers = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]
    /// Slots that are watched at once: two of each server in the process.
    static let slotsMax = 64

    // Unsafe: a handler of signals may take no lock; places are written under one.
    /// The slots; `nil` is free. Read by the handler, so never allocated anew.
    nonisolated(unsafe) fileprivate static let slots = {
        let slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: slotsMax)
        slots.initialize(repeating: nil, count: slotsMax)
        return slots
    }()

    // Unsafe: written once, before the handlers are there that read it.
    /// What each signal did before.
    nonisolated(unsafe) fileprivate static let previous = {
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        actions.initialize(repeating: sigaction(), count: 65)
        return actions
    }()

    private static let isInstalled = Mutex(false)

    /// Watches a slot until ``forget(_:)``.
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

    /// Watches a slot no more; its memory may go then.
    static func forget(_ slot: UnsafeMutableRawPointer) {
        isInstalled.withLock { _ in
            for place in 0..<slotsMax where slots[place] == slot { slots[place] = nil }
        }
    }

    private static func install() {
        for number in numbers {
            var action = sigaction()
            action.__sigaction_handler.sa_sigaction = noteTrap
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            sigaction(number, &action, previous + Int(number))
        }
    }
}

/// Notes the signal and hands it on. Only what is safe in a handler (signal-safety(7)).
private func noteTrap(
    _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    // Of the kernel, or of the thread itself, as abort(3) sends it: not of somebody else.
    let origin = info?.pointee.si_code ?? 0
    if origin > 0 || (number == SIGABRT && origin == -6) {
        for place in 0..<TrapSignals.slotsMax {
            if let slot = TrapSignals.slots[place] { CrashSlot.note(signal: number, in: slot) }
        }
    }
    sigaction(number, TrapSignals.previous + Int(number), nil)
    // Comes when this returns, and finds what was there before.
    raise(number)
}
