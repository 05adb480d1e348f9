import GroveNetwork
import GroveTLS

/// The TLS of one connection. Confined to the io queue.
final class TLSChannel {
    /// The connection without its socket.
    // Unchecked, as `Connection.machine` is, for the same reason.
    @exclusivity(unchecked) var connection: TLSConnection

    init(_ context: TLSContext) { connection = TLSConnection(server: context) }

    /// Whether its first bytes wait, because handshakes are paced; the socket isn't read meanwhile.
    var waits = false

    /// Whether lines don't pass yet.
    var isHandshaking: Bool { connection.phase == .handshaking }

    /// Whether more ciphertext waits than replies alone can be: then the client sends what TLS
    /// itself must answer, and doesn't read.
    var isOverfull: Bool { connection.waitingBytes >= 2 * TLSConnection.waitingBytesMax }

    /// Writes waiting bytes to the socket, as many as the kernel accepts.
    ///
    /// - Returns: The outcome; `nil` when nothing waits.
    func write(to socket: Socket) -> Socket.Transfer? {
        guard connection.waitingBytes > 0 else { return nil }
        var outcome = Socket.Transfer.wouldBlock
        connection.takeOutbound { bytes in
            outcome = socket.write(bytes)
            if case .bytes(let count) = outcome { return count }
            return 0
        }
        return outcome
    }
}
