import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveWire

/// One client: its socket and its side of the protocol. Confined to the io queue.
final class Connection {
    var machine: ConnectionMachine
    let socket: Socket
    /// The group that it is counted in; `nil` on a Unix socket.
    let peer: PeerGroup?
    /// What its socket says of the client.
    let origin: ClientOrigin
    /// Its TLS; `nil` for plaintext.
    private(set) var channel: TLSChannel?
    /// Bytes that the budget of buffers counts for it.
    var countedBytes = 0
    /// Whether it is in the list of connections that the present burst has changed.
    var isTouched = false
    /// Whether it is in the table of connections whose clients haven't said who they are.
    var isCountedUnknown = false
    /// Whether a block that decodes waiting lines is posted.
    var isResumePosted = false
    /// The uptime until which it waits for the client to close, once nothing more will be sent.
    private(set) var lingersUntil: Int64?

    private let poller: Poller
    private var interest: Poller.Interest = []
    private(set) var isClosed = false

    /// A connection that reads at once.
    init(
        machine: consuming ConnectionMachine, socket: Socket, peer: PeerGroup?,
        origin: ClientOrigin, poller: Poller, channel: TLSChannel? = nil
    ) {
        self.origin = origin
        self.machine = machine
        self.channel = channel
        self.socket = socket
        self.peer = peer
        self.poller = poller
        waitFor(.read, true)
    }

    deinit { close() }

    private func waitFor(_ event: Poller.Interest, _ isWanted: Bool) {
        var wanted = interest
        if isWanted { wanted.insert(event) } else { wanted.remove(event) }
        guard wanted != interest, !isClosed else { return }
        if poller.change(socket.fd, id: machine.id.value, from: interest, to: wanted) {
            interest = wanted
        } else {
            machine.close(.clientGone)
        }
    }

    /// Sends waiting bytes until the kernel accepts no more. Returns the number of bytes sent.
    func flush(_ context: borrowing ProtocolContext) -> Int {
        if let channel { return flush(channel, context) }
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
        waitFor(.write, isBlocked)
        return sent
    }

    /// The same through TLS: encrypts bytes only while few encrypted ones wait. After the last byte
    /// it ends the stream of TLS.
    private func flush(_ channel: TLSChannel, _ context: borrowing ProtocolContext) -> Int {
        var sent = 0
        var isBlocked = false
        while !isBlocked, !isBroken {
            if !machine.outbound.isEmpty {
                machine.outbound.send { channel.connection.send($0) }
            }
            machine.transportBytes = 0
            // Not after a part: the end of TLS says that nothing is missing.
            if machine.isFinished, machine.outbound.isEmpty { channel.connection.endSending() }
            switch channel.write(to: socket) {
            case .bytes(let count)?: sent += count
            case .wouldBlock?: isBlocked = true
            case .end?, .broken?: isBroken = true
            case nil:
                finishFlush(channel, sent: sent, isBlocked: false, context)
                return sent
            }
        }
        finishFlush(channel, sent: sent, isBlocked: isBlocked, context)
        return sent
    }

    private func finishFlush(
        _ channel: TLSChannel, sent: Int, isBlocked: Bool, _ context: borrowing ProtocolContext
    ) {
        machine.transportBytes = channel.connection.waitingBytes
        if sent > 0 { machine.recordProgress(using: context) }
        if isBroken { machine.close(.clientGone) }
        waitFor(.write, isBlocked)
    }

    /// Speaks plaintext from now on, to a client that has never spoken TLS.
    func dropTLS() {
        channel = nil
        machine.transportBytes = 0
    }

    /// Whether its TLS isn't open yet, so that no line passes.
    var isHandshaking: Bool { channel?.isHandshaking == true }

    private var isBroken = false

    /// Whether the client's bytes are read now: lines, or only the end of the stream.
    func isReading(_ context: borrowing ProtocolContext) -> Bool {
        lingersUntil != nil
            || machine.wantsInput(context.limits) && !machine.isOverShare(context)
                && channel?.isOverfull != true && channel?.waits != true
    }

    /// Starts or stops reading from the socket, as ``isReading(_:)`` says.
    func updateReading(_ context: borrowing ProtocolContext) {
        waitFor(.read, isReading(context))
    }

    /// Ends the stream to the client and waits for the client to close: after closing at once the
    /// kernel would discard bytes that the client has not read yet, if it was still sending.
    func linger(until uptime: Int64) {
        guard lingersUntil == nil else { return }
        lingersUntil = uptime
        socket.shutdownWrite()
    }

    /// Releases the socket, which closes with the connection.
    func close() {
        waitFor(.read, false)
        waitFor(.write, false)
        isClosed = true
    }
}
