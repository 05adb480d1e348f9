import Glibc
public import GroveTLS

/// The client's side of TLS over a blocking socket.
public final class BlockingTLS {
    private let fd: Int32
    private var connection: TLSConnection
    /// What the server has sent together with the end of its handshake.
    public private(set) var early: [UInt8] = []

    /// Shakes hands over a connected socket, which the caller closes.
    ///
    /// - Throws: ``TLSFailure``, or ``TestProblem`` when the socket ends before.
    public init(_ fd: Int32, _ context: TLSContext, serverName: String = "localhost") throws {
        self.fd = fd
        connection = try TLSConnection(client: context, serverName: serverName)
        while connection.phase == .handshaking {
            try flush()
            early += try receive() ?? []
        }
        try flush()
        if case .failed(let failure) = connection.phase { throw failure }
    }

    /// The version that both sides speak, such as `TLSv1.3`.
    public var version: String { connection.version }

    /// Sends bytes.
    ///
    /// - Throws: ``TestProblem`` if the connection is gone.
    public func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { connection.send($0) }
            rest = rest.dropFirst(count)
            try flush()
            guard count > 0 || connection.canSend else { throw TestProblem("TLS has ended") }
        }
    }

    /// Ends this side's direction.
    public func endSending() throws {
        connection.endSending()
        try flush()
    }

    /// Receives what the next bytes say, which may be nothing; `nil` at the end.
    ///
    /// - Throws: ``TLSFailure`` when the connection fails.
    public func receive() throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(fd, &chunk, chunk.count, 0)
        var plaintext: [UInt8] = []
        if count > 0 {
            chunk[..<count].withUnsafeBytes { connection.receive($0, into: &plaintext) }
        } else {
            connection.receiveEnd()
        }
        try flush()
        if !plaintext.isEmpty { return plaintext }
        switch connection.phase {
        case .handshaking, .open: return []
        case .peerDone: return nil
        case .failed(let failure): throw failure
        }
    }

    private func flush() throws {
        while connection.waitingBytes > 0 {
            var status = 0
            connection.takeOutbound { bytes in
                status = Glibc.send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                return max(0, status)
            }
            guard status > 0 else { throw TestProblem("the connection is gone: errno \(errno)") }
        }
    }
}
