import Glibc
import Synchronization

/// Where log lines go: a descriptor that somebody else may have stopped reading.
///
/// Lines are written by the queues that serve clients, so a line must not wait for its reader. A
/// line for which there is no room within ``patience`` is dropped and counted; as long as there is
/// none, the next ones are dropped at once. The first line after that is told how many are missing.
final class LogOutput: Sendable {
    /// Bytes of the longest line: a pipe that can be written to has room for so many.
    static let lineBytesMax = Int(PIPE_BUF)

    /// How long the first line waits for room, in milliseconds.
    static let patience: Int32 = 20

    /// Standard error.
    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private struct State {
        var droppedCount = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// Writes to a descriptor, which stays the caller's.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line in one system call, or drops it.
    ///
    /// - Parameters:
    ///   - line: The line with its newline, at most ``lineBytesMax`` bytes.
    ///   - notice: Makes the line that tells how many lines are missing before this one.
    func write(_ line: [UInt8], notice: (_ droppedCount: Int) -> [UInt8]) {
        state.withLock { state in
            let isStuck = state.droppedCount > 0
            guard hasRoom(milliseconds: isStuck ? 0 : Self.patience) else {
                state.droppedCount += 1
                return
            }
            if isStuck {
                put(notice(state.droppedCount))
                state.droppedCount = 0
                guard hasRoom(milliseconds: 0) else {
                    state.droppedCount = 1
                    return
                }
            }
            put(line)
        }
    }

    private func hasRoom(milliseconds: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, milliseconds) == 1 && ready.revents & Int16(POLLOUT) != 0
    }

    private func put(_ line: [UInt8]) {
        // A log that can't be written has nobody to be told to.
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
