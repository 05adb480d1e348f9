import Dispatch
import GroveNetwork
import GroveWire

/// One stream socket on the client's queue: readiness in, bytes out in order.
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

    /// All bytes queued so far.
    private(set) var queuedBytes = 0
    /// All bytes written so far.
    private(set) var writtenBytes = 0

    /// A connection over a socket that may still be connecting; `onWritable` is called once it is
    /// connected or has failed.
    init(
        _ socket: Socket, queue: DispatchQueue, lineBytesMax: Int,
        onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        self.socket = socket
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
    }

    /// Reads available bytes, at most 64 KiB, and calls `line` for each complete line.
    func read(line: ([UInt8]) -> Void) -> ReadOutcome {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            switch socket.read(into: buffer) {
            case .bytes(let count):
                receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), line: line)
            case .wouldBlock: .nothing
            case .end: .ended("the server closed the connection")
            case .broken(let error): .ended(error.reason)
            }
        }
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
        while outboundStart < outbound.count {
            let transfer = outbound.withUnsafeBytes { bytes in
                socket.write(UnsafeRawBufferPointer(rebasing: bytes[outboundStart...]))
            }
            switch transfer {
            case .bytes(let count):
                outboundStart += count
                writtenBytes += count
            case .wouldBlock:
                awaitWritable()
                return nil
            case .end: return "the connection takes no more bytes"
            case .broken(let error): return error.reason
            }
        }
        outbound.removeAll(keepingCapacity: outbound.count <= 1 << 16)
        outboundStart = 0
        stopAwaitingWritable()
        return nil
    }
}
