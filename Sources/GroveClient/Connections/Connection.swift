import Dispatch
import GroveNetwork
import GroveTLS
import GroveWire

/// One stream socket on the client's queue: readiness in, bytes out in order, through TLS where the
/// server speaks it.
///
/// It doesn't parse lines. All work runs on one serial queue; the handlers are called there.
/// Dropping the last reference closes the socket.
final class Connection {
    private let socket: Socket
    private let queue: DispatchQueue
    private let readSource: any DispatchSourceRead
    private var writeSource: (any DispatchSourceWrite)?
    private let onWritable: @Sendable () -> Void
    private var framer: LineFramer
    /// Whether readable bytes are reported.
    private(set) var isReading = false
    private var outbound: [UInt8] = []
    private var outboundStart = 0
    /// What stands between the lines and the socket; `nil` for a plain connection.
    private var tls: TLSConnection?

    /// All bytes queued so far.
    private(set) var queuedBytes = 0
    /// All bytes written so far; with TLS those that were encrypted, whose records may still wait.
    private(set) var writtenBytes = 0

    /// A connection over a socket that may still be connecting; `onWritable` is called once it is
    /// connected or has failed.
    ///
    /// - Parameter tls: The beginning of a handshake with the server, or `nil` for a plain
    ///   connection.
    init(
        _ socket: Socket, tls: consuming TLSConnection? = nil, queue: DispatchQueue,
        lineBytesMax: Int,
        onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
        self.tls = tls
        self.queue = queue
        self.onWritable = onWritable
        framer = LineFramer(lineBytesMax: lineBytesMax)
        readSource = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        readSource.setEventHandler(handler: onReadable)
        // The descriptor stays open until Dispatch has released it.
        readSource.setCancelHandler { withExtendedLifetime(socket) {} }
        awaitWritable()
    }

    deinit {
        endTLS()
        if !isReading { readSource.activate() }
        readSource.cancel()
        writeSource?.cancel()
    }

    /// The reason why the attempt to connect failed, once the socket is writable.
    var connectFailure: String? { socket.connectError?.reason }

    /// Reports readable bytes from now on, once the socket is connected.
    func startReading() {
        guard !isReading else { return }
        isReading = true
        readSource.activate()
    }

    private func awaitWritable() {
        guard writeSource == nil else { return }
        let source = DispatchSource.makeWriteSource(fileDescriptor: socket.fd, queue: queue)
        source.setEventHandler(handler: onWritable)
        source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
        writeSource = source
        source.activate()
    }

    /// Stops reporting writability until the next write that doesn't fit.
    func stopAwaitingWritable() {
        writeSource?.cancel()
        writeSource = nil
    }

    /// What a read of the socket gave.
    enum ReadOutcome {
        /// Bytes; more may be there.
        case bytes
        /// All that has arrived was read.
        case nothing
        /// The stream has ended, for this reason.
        case ended(String)
        /// TLS has failed.
        case failed(TLSFailure)
    }

    /// Reads available bytes, at most 64 KiB, and calls `line` for each complete line.
    func read(line: ([UInt8]) -> Void) -> ReadOutcome {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            switch socket.read(into: buffer) {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                return tls == nil ? receive(bytes, line: line) : decrypt(bytes, line: line)
            case .wouldBlock: return .nothing
            // Without the end of TLS too: a line that was cut off is never returned.
            case .end: return .ended("the server closed the connection")
            case .broken(let error): return .ended(error.reason)
            }
        }
    }

    /// Passes bytes of the server through TLS, and sends its answers: a handshake, or an alert.
    private func decrypt(
        _ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void
    ) -> ReadOutcome {
        // Never more than the bytes and one record.
        var plaintext: [UInt8] = []
        tls?.receive(bytes, into: &plaintext)
        if !plaintext.isEmpty {
            let outcome = plaintext.withUnsafeBytes { receive($0, line: line) }
            guard case .bytes = outcome else { return outcome }
        }
        let reason = flush()
        if (tls?.waitingBytes ?? 0) >= 2 * TLSConnection.waitingBytesMax {
            return .ended("the server sends what TLS must answer, and reads no answers")
        }
        switch tls?.phase {
        case .failed(let failure)?: return .failed(failure)
        case .peerDone?: return .ended("the server closed the connection")
        case .handshaking?, .open?, nil: break
        }
        guard let reason else { return .bytes }
        return .ended(reason)
    }

    private func receive(
        _ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void
    ) -> ReadOutcome {
        var position = 0
        while true {
            switch framer.next(in: bytes, from: &position) {
            case .line(let range): line(Array(bytes[range]))
            case .carriedLine: line(framer.removeCarriedLine())
            case .tooLong, .flood: return .ended("the server sent a line that is too long")
            case .empty: continue
            case .needsMore: return .bytes
            }
        }
    }

    /// Enqueues bytes for ``flush()``.
    func enqueue(_ bytes: [UInt8]) {
        outbound += bytes
        queuedBytes += bytes.count
    }

    /// Writes until nothing is left or the socket is full; `onWritable` is called once there is
    /// room again. Returns the reason if the connection is broken.
    func flush() -> String? {
        while let transfer = writeSome() {
            switch transfer {
            case .bytes: continue
            case .wouldBlock:
                awaitWritable()
                return nil
            case .end: return "the connection takes no more bytes"
            case .broken(let error): return error.reason
            }
        }
        if outboundStart == outbound.count {
            outbound.removeAll(keepingCapacity: outbound.count <= 1 << 16)
            outboundStart = 0
        }
        stopAwaitingWritable()
        return nil
    }

    /// Writes once; `nil` when nothing can be written: all is, or TLS takes nothing now.
    private func writeSome() -> Socket.Transfer? {
        guard tls == nil else { return encryptAndWrite() }
        guard outboundStart < outbound.count else { return nil }
        let transfer = outbound.withUnsafeBytes { bytes in
            socket.write(UnsafeRawBufferPointer(rebasing: bytes[outboundStart...]))
        }
        if case .bytes(let count) = transfer { advance(by: count) }
        return transfer
    }

    /// Encrypts as much as may wait, and writes from what waits.
    private func encryptAndWrite() -> Socket.Transfer? {
        if outboundStart < outbound.count {
            let start = outboundStart
            let count = outbound.withUnsafeBytes { bytes in
                tls?.send(UnsafeRawBufferPointer(rebasing: bytes[start...])) ?? 0
            }
            advance(by: count)
        }
        var transfer: Socket.Transfer?
        tls?.takeOutbound { bytes in
            let written = socket.write(bytes)
            transfer = written
            if case .bytes(let count) = written { return count }
            return 0
        }
        return transfer
    }

    private func advance(by count: Int) {
        outboundStart += count
        writtenBytes += count
    }

    /// Tells the server that nothing is missing, if the socket takes that at once.
    private func endTLS() {
        tls?.endSending()
        tls?.takeOutbound { bytes in
            if case .bytes(let count) = socket.write(bytes) { count } else { 0 }
        }
    }

    /// The server's certificate, after the handshake; `nil` for a plain connection.
    var serverCertificate: TLSCertificate? { tls?.peer }
}
