/// The memory of all connections for bytes that were read and aren't requests yet, and for bytes
/// that aren't sent yet.
///
/// From half of it on, memory is *short*: each connection may have only its share of the other half
/// unsent, instead of `max-pending`, until three quarters are free again. So the server stops
/// reading connections that hold most; those that hold little continue as before.
package struct BufferBudget: Sendable {
    /// The bound for all connections in total.
    package private(set) var bytesMax: Int
    /// The number of connections that share it.
    package var connections = 0
    package private(set) var bytes = 0
    /// Whether each connection has only its share.
    package private(set) var isShort = false

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    mutating func change(bytesMax: Int) {
        self.bytesMax = bytesMax
        isShort = bytes >= (isShort ? bytesMax / 4 : bytesMax / 2)
    }

    /// Whether nothing is left: no connection is accepted any more.
    package var isSpent: Bool { bytes >= bytesMax }

    /// Whether connections have to be closed until at most seven eighths are used.
    package var isOverdrawn: Bool { bytes > bytesMax }

    package var hasRoomAgain: Bool { bytes <= bytesMax / 8 * 7 }

    /// Records the bytes that one connection holds now.
    ///
    /// - Parameters:
    ///   - now: Its bytes.
    ///   - counted: Its bytes as counted before; set to `now`.
    package mutating func count(_ now: Int, insteadOf counted: inout Int) {
        bytes += now - counted
        counted = now
        isShort = bytes >= (isShort ? bytesMax / 4 : bytesMax / 2)
    }

    /// The present bound of one connection's unsent bytes.
    ///
    /// - Parameter configured: The bound while memory isn't short.
    package func pendingBytesMax(_ configured: Int) -> Int {
        guard isShort else { return configured }
        let share = bytesMax / 2 / max(1, connections)
        return min(configured, max(ServerLimits.shareBytesMin, share))
    }
}
