import Glibc
import GroveNetwork

/// A spare descriptor. When no other is left, it is released to accept a client and reject it, so
/// that the client doesn't wait forever and the listener doesn't stay ready (reliability.md, P15).
struct ReserveDescriptor {
    private var held: Socket?

    init() { acquire() }

    /// Opens the descriptor, if the process has one left.
    mutating func acquire() {
        guard held == nil else { return }
        let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if fd >= 0 { held = Socket(owning: fd) }
    }

    /// Closes it until ``acquire()``.
    mutating func release() { held = nil }
}
