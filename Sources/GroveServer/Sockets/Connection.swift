import Dispatch
import GroveNetwork
import GroveProtocol
import GroveWire

/// One client: socket, sources and the machine that knows the protocol. Never leaves the io
/// queue.
final class Connection {
    var machine: ConnectionMachine
    let socket: Socket
    /// Whose connections it is counted among; `nil` on a Unix socket.
    let peer: PeerGroup?
    /// Bytes that the budget of buffers counts for it.
    var countedBytes = 0
    /// Whether it waits in the list of connections that a burst has touched.
    var isTouched = false
    /// Whether a post that takes waiting lines is under way.
    var isResumePosted = false
    /// Whether a post that reads on is under way; what the source says meanwhile is no news.
    var isReadPosted = false
    /// Set once nothing more will be sent: until the client hangs up, or until this uptime.
    private(set) var lingersUntil: Int64?

    private let readSource: any DispatchSourceRead
    private var writeSource: (any DispatchSourceWrite)?
    private var isReading = true
    private var isWaitingToWrite = false
    private(set) var isClosed = false

    /// A connection that reads at once.
    ///
    /// - Parameters:
    ///   - machine: Its side of the protocol.
    ///   - socket: The accepted socket.
    ///   - peer: Whose connections it is counted among.
    ///   - queue: The io queue.
    ///   - onReadable: Called on the queue whenever there is something to read.
    init(
        machine: ConnectionMachine, socket: Socket, peer: PeerGroup?, queue: DispatchQueue,
        onReadable: @escaping @Sendable () -> Void
    ) {
        self.machine = machine
        self.socket = socket
        self.peer = peer
        readSource = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        readSource.setEventHandler(handler: onReadable)
        // The descriptor stays open until Dispatch has let go of it.
        readSource.setCancelHandler { withExtendedLifetime(socket) {} }
        readSource.resume()
    }

    /// Sends what waits until the kernel takes no more; then waits for room.
    ///
    /// - Parameters:
    ///   - context: The context of the queue.
    ///   - queue: The io queue.
    ///   - onWritable: Called on the queue whenever there is room again.
    /// - Returns: The bytes sent.
    func flush(
        _ context: ProtocolContext, queue: DispatchQueue,
        onWritable: @escaping @Sendable () -> Void
    ) -> Int {
        var sent = 0
        var isBlocked = false
        while !machine.outbound.isEmpty, !isBlocked, !isBroken {
            sent += machine.outbound.take { bytes in
                switch socket.write(bytes) {
                case .bytes(let count): return count
                case .wouldBlock: isBlocked = true
                case .end, .broken: isBroken = true
                }
                return 0
            }
        }
        if sent > 0 { machine.noteProgress(using: context) }
        if isBroken { machine.close(.clientGone) }
        waitToWrite(isBlocked, queue: queue, onWritable)
        return sent
    }

    private var isBroken = false

    private func waitToWrite(
        _ wanted: Bool, queue: DispatchQueue, _ onWritable: @escaping @Sendable () -> Void
    ) {
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

    /// Whether what the client sends is wanted now: lines, or only the end.
    func isReading(_ context: ProtocolContext) -> Bool {
        lingersUntil != nil
            || machine.wantsInput(context.limits) && !machine.isOverShare(context)
    }

    /// Listens to the socket only while there is something to do with what it says.
    ///
    /// - Returns: Whether it begins again; then the socket must be read once without waiting for
    ///   Dispatch, which may have reported everything already.
    func updateReading(_ context: ProtocolContext) -> Bool {
        let wanted = isReading(context)
        guard wanted != isReading, !isClosed else { return false }
        isReading = wanted
        if wanted { readSource.resume() } else { readSource.suspend() }
        return wanted
    }

    /// Says that nothing more will come, and waits for the client to hang up: closing at once
    /// would make the kernel throw away what the client has not read yet, if it was still
    /// sending.
    func linger(until uptime: Int64) {
        guard lingersUntil == nil else { return }
        lingersUntil = uptime
        socket.shutdownWrite()
    }

    /// Lets go of the socket, which closes when Dispatch has let go of it too.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        // A source must be running when it is cancelled.
        if !isReading { readSource.resume() }
        readSource.cancel()
        guard let writeSource else { return }
        if !isWaitingToWrite { writeSource.resume() }
        writeSource.cancel()
    }
}
