import Dispatch
import Glibc

/// What reads an output, where that is a pipe or a socket.
enum OutputReader {
    /// Calls `handler` once nothing reads `output` any more, also while there is nothing to write.
    /// Never for a file or a terminal, whose end is a signal.
    static func whenGone(
        _ output: Int32 = STDOUT_FILENO, _ handler: @escaping @Sendable () -> Void
    ) {
        var status = stat()
        guard fstat(output, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFSOCK else { return }
        // A thread of its own, until the process ends.
        DispatchQueue(label: "grove.output").async {
            // Without a wish, only the end is reported.
            var place = pollfd(fd: output, events: 0, revents: 0)
            while poll(&place, 1, -1) < 0 { guard errno == EINTR else { return } }
            handler()
        }
    }
}
