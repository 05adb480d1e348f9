import Dispatch
import Glibc
import GroveNetwork

/// The process's handling of signals, besides those of ``SignalWatch``.
enum Signals {
    /// Ignores signals that would end the process for a closed connection or a file past its size
    /// limit: the system calls report these as errors (reliability.md, P8).
    static func ignoreFatal() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends the process as if killed: safe at any moment, because acknowledged requests are on the
    /// disk.
    static func kill() -> Never {
        Glibc.kill(getpid(), SIGKILL)
        // The signal may take a moment to arrive.
        while true { pause() }
    }
}
