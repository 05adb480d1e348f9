/// Memory that a signal handler reads, which can't lock.
// Unchecked: the pointer never changes. Only its queue writes a ``CrashSlot``, and the handler only
// on the thread of that queue: on another thread it reads aligned words, finds a thread number that
// isn't its own, and leaves. ``TrapSignals`` shares atomics, and actions that don't change after
// their handlers are installed.
struct SignalMemory<Element: ~Copyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
}
