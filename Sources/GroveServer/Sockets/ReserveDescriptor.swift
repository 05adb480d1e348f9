import Glibc
import GroveNetwork

/// A descriptor kept for bad times: when the process has no other left, it is given up for as
/// long as it takes to accept a client and turn it away, so that the client is not left hanging
/// and the listener is not ready for ever (reliability.md, P15).
struct ReserveDescriptor {
    private var held: Socket?

    init() { acquire() }

    /// Takes one, if there is one.
    mutating func acquire() {
        guard held == nil else { return }
        let fd = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if fd >= 0 { held = Socket(owning: fd) }
    }

    /// Gives it up; ``acquire()`` takes it again.
    mutating func release() { held = nil }
}
