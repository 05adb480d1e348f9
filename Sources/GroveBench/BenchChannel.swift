import GroveNetwork
import GroveTLS

/// The way of one connection's bytes: its socket, and TLS where the server speaks that. Dropping
/// the last reference closes the socket.
final class BenchChannel {
    /// What became of an attempt to read or write.
    enum Transfer {
        /// This many bytes passed, at least one.
        case bytes(Int)
        /// None can pass now.
        case wouldBlock
        /// None can pass any more, for this reason.
        case failed(String)
    }

    private let socket: Socket
    private var tls: TLSConnection?
    private var plaintext: [UInt8] = []

    /// A channel over a socket that may still be connecting.
    ///
    /// - Parameter tls: The beginning of a handshake with the server, or `nil` for a plain
    ///   connection.
    init(_ socket: Socket, tls: consuming TLSConnection?) {
        self.socket = socket
        self.tls = tls
    }

    /// Tells the server that nothing is missing, if the socket takes that at once.
    deinit {
        tls?.endSending()
        _ = writeWaiting()
    }

    var fd: Int32 { socket.fd }

    /// The reason why the attempt to connect failed, once the socket is writable.
    var connectFailure: String? { socket.connectError?.reason }

    /// Whether requests can't pass yet.
    var isHandshaking: Bool {
        switch tls?.phase {
        case .handshaking?: true
        case .open?, .peerDone?, .failed?, nil: false
        }
    }

    /// The server's certificate, after the handshake; `nil` for a plain connection.
    var serverCertificate: TLSCertificate? { tls?.peer }

    /// Why TLS has failed, if it has.
    var failure: TLSFailure? {
        if case .failed(let failure)? = tls?.phase { failure } else { nil }
    }

    /// Whether it can write more once the socket is writable, where requests wait or don't.
    func needsRoom(hasRequests: Bool) -> Bool {
        switch tls?.waitingBytes {
        // What TLS hasn't encrypted waits for the same room, or for the handshake.
        case let waiting?: waiting > 0
        case nil: hasRequests
        }
    }

    /// Takes bytes to send, encrypts them where that is needed, and writes what the socket accepts.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard tls != nil else { return Self.outcome(ofWriting: socket.write(bytes)) }
        let count = tls?.send(bytes) ?? 0
        if let reason = writeWaiting() { return .failed(reason) }
        return count > 0 ? .bytes(count) : .wouldBlock
    }

    /// Writes what TLS itself has to say, or has encrypted, until nothing is left or the socket is
    /// full. Returns the reason if the connection is broken.
    func writeWaiting() -> String? {
        while (tls?.waitingBytes ?? 0) > 0 {
            var transfer = Socket.Transfer.wouldBlock
            tls?.takeOutbound { bytes in
                transfer = socket.write(bytes)
                return if case .bytes(let count) = transfer { count } else { 0 }
            }
            switch Self.outcome(ofWriting: transfer) {
            case .bytes: continue
            case .wouldBlock: return nil
            case .failed(let reason): return reason
            }
        }
        return nil
    }

    /// Reads once.
    ///
    /// - Parameter room: Where the bytes go; more than a record of TLS.
    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        guard tls != nil else { return Self.outcome(ofReading: socket.read(into: room)) }
        // A record that has begun before may add its own length.
        let most = min(room.count - TLSConnection.recordBytesMax, 1 << 16)
        guard most > 0 else { return .failed("the server sent a line that is too long") }
        let transfer = withUnsafeTemporaryAllocation(byteCount: most, alignment: 16) { buffer in
            let transfer = Self.outcome(ofReading: socket.read(into: buffer))
            if case .bytes(let count) = transfer {
                tls?.receive(
                    UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &plaintext)
            }
            return transfer
        }
        guard case .bytes = transfer else { return transfer }
        return removePlaintext(into: room)
    }

    private func removePlaintext(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        if let reason = writeWaiting() { return .failed(reason) }
        if !plaintext.isEmpty {
            room.copyBytes(from: plaintext)
            defer { plaintext.removeAll(keepingCapacity: true) }
            return .bytes(plaintext.count)
        }
        return switch tls?.phase {
        case .failed(let failure)?: .failed(failure.description)
        case .peerDone?: .failed(Self.closed)
        case .handshaking?, .open?, nil: .wouldBlock
        }
    }

    private static let closed = "the server closed the connection"

    private static func outcome(ofReading transfer: Socket.Transfer) -> Transfer {
        switch transfer {
        case .bytes(let count): .bytes(count)
        case .wouldBlock: .wouldBlock
        case .end: .failed(closed)
        case .broken(let error): .failed(error.reason)
        }
    }

    private static func outcome(ofWriting transfer: Socket.Transfer) -> Transfer {
        switch transfer {
        case .bytes(let count): .bytes(count)
        case .wouldBlock: .wouldBlock
        case .end: .failed("the connection takes no more bytes")
        case .broken(let error): .failed(error.reason)
        }
    }
}
