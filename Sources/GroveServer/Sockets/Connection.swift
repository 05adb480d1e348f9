import Dispatch
import GroveNetwork
import GroveProtocol
import GroveWire

/// One client: its socket, its sources and its side of the protocol. Confined to the io queue.
final class Connection {
    var machine: ConnectionMachine
    let socket: Socket
    /// The group that it is counted in; `nil` on a Unix socket.
    let peer: PeerGroup?
    /// Bytes that the budget of buffers counts for it.
    var countedBytes = 0
    /// Whether it is in the list of connections that the present burst has changed.
    var isTouched = false
    /// Whether a block that decodes waiting lines is posted.
    var isResumePosted = false
    /// Whether a block that continues reading is posted; until then the source's reports are
    /// ignored.
    var isReadPosted = false
    /// The uptime until which it waits for the client to close, once nothing more will be sent.
    private(set) var lingersUntil: Int64?

    private let queue: DispatchQueue
    private let onWritable: @Sendable () -> Void
    private let readSource: any DispatchSourceRead
    private var writeSource: (any DispatchSourceWrite)?
    private var isReading = true
    private var isWaitingToWrite = false
    private(set) var isClosed = false

    /// A connection that reads at once; `onReadable` is called on the io queue whenever there is
    /// something to read, `onWritable` when there is room again for waiting bytes.
    init(
        machine: ConnectionMachine, socket: Socket, peer: PeerGroup?, queue: DispatchQueue,
        onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.onWritable = onWritable
        self.machine = machine
        self.socket = socket
        self.peer = peer
        readSource = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        readSource.setEventHandler(handler: onReadable)
        // The descriptor stays open until Dispatch has released it.
        readSource.setCancelHandler { withExtendedLifetime(socket) {} }
        readSource.resume()
    }

    /// Sends waiting bytes until the kernel accepts no more. Returns the number of bytes sent.
    func flush(_ context: borrowing ProtocolContext) -> Int {
        var sent = 0
        var isBlocked = false
        while !machine.outbound.isEmpty, !isBlocked, !isBroken {
            sent += machine.outbound.send { bytes in
                switch socket.write(bytes) {
                case .bytes(let count): return count
                case .wouldBlock: isBlocked = true
                case .end, .broken: isBroken = true
                }
                return 0
            }
        }
        if sent > 0 { machine.recordProgress(using: context) }
        if isBroken { machine.close(.clientGone) }
        waitToWrite(isBlocked)
        return sent
    }

    private var isBroken = false

    private func waitToWrite(_ wanted: Bool) {
        guard wanted != isWaitingToWrite, !isClosed else { return }
        isWaitingToWrite = wanted
        guard wanted else {
            writeSource?.suspend()
            return
        }
        if writeSource == nil {
            let socket = socket
            let source = DispatchSource.makeWriteSource(fileDescriptor: socket.fd, queue: queue)
            source.setEventHandler(handler: onWritable)
            source.setCancelHandler { withExtendedLifetime(socket) {} }
            writeSource = source
        }
        writeSource?.resume()
    }

    /// Whether the client's bytes are read now: lines, or only the end of the stream.
    func isReading(_ context: borrowing ProtocolContext) -> Bool {
        lingersUntil != nil
            || machine.wantsInput(context.limits) && !machine.isOverShare(context)
    }

    /// Starts or stops reading from the socket, as ``isReading(_:)`` says.
    ///
    /// - Returns: Whether reading resumes; then the socket must be read once without waiting for
    ///   Dispatch, which may have reported all bytes already.
    func updateReading(_ context: borrowing ProtocolContext) -> Bool {
        let wanted = isReading(context)
        guard wanted != isReading, !isClosed else { return false }
        isReading = wanted
        if wanted { readSource.resume() } else { readSource.suspend() }
        return wanted
    }

    /// Ends the stream to the client and waits for the client to close: after closing at once the
    /// kernel would discard bytes that the client has not read yet, if it was still sending.
    func linger(until uptime: Int64) {
        guard lingersUntil == nil else { return }
        lingersUntil = uptime
        socket.shutdownWrite()
    }

    /// Releases the socket, which closes when Dispatch has released it too.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        // A suspended source must be resumed before it is released.
        if !isReading { readSource.resume() }
        readSource.cancel()
        guard let writeSource else { return }
        if !isWaitingToWrite { writeSource.resume() }
        writeSource.cancel()
    }
}
