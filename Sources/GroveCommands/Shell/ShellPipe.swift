import Glibc

/// The two ends of a pipe, which no other program inherits.
struct ShellPipe {
    let reading: Int32
    let writing: Int32

    /// Opens one; `nil`, with the system's error, when there is no room.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        // Only the thread that opens it starts programs.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Makes reads answer that there is nothing, and writes that there is no room.
    func neverWait() {
        for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
}
