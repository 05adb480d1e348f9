import Glibc
import Synchronization

/// A descriptor for log lines, whose reader may have stopped reading.
///
/// The queues that serve clients write the lines, so a line must not wait for its reader. A line
/// without room within ``waitMilliseconds`` is dropped and counted; the next ones are dropped at
/// once until there is room. Before the first line after that, a notice has their number.
final class LogOutput: Sendable {
    /// The longest wait of the first line for room, in milliseconds.
    static let waitMilliseconds: Int32 = 20

    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let droppedCount = Mutex(0)

    /// Writes to a descriptor, which the caller owns.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line in one system call, or drops it.
    ///
    /// - Parameters:
    ///   - line: The line with its newline, at most ``lineBytesMax`` bytes.
    ///   - notice: Makes the line with the number of lines dropped before this one.
    func write(_ line: [UInt8], notice: (_ droppedCount: Int) -> [UInt8]) {
        droppedCount.withLock { droppedCount in
            let isStuck = droppedCount > 0
            guard hasRoom(milliseconds: isStuck ? 0 : Self.waitMilliseconds) else {
                droppedCount += 1
                return
            }
            if isStuck {
                writeNow(notice(droppedCount))
                droppedCount = 0
                guard hasRoom(milliseconds: 0) else {
                    droppedCount = 1
                    return
                }
            }
            writeNow(line)
        }
    }

    private func hasRoom(milliseconds: Int32) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, milliseconds) == 1 && ready.revents & Int16(POLLOUT) != 0
    }

    private func writeNow(_ line: [UInt8]) {
        // A failure to write the log can't be logged.
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
