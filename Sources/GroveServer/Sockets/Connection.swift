import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveWire

/// One client: its socket and its side of the protocol. Confined to the io queue.
final class Connection {
    // Unchecked: it is used on one queue only, and what it calls knows nothing of connections. So
    // no two accesses overlap, and twenty checks per event would find nothing.
    @exclusivity(unchecked) var machine: ConnectionMachine
    let socket: Socket
    /// The group that it is counted in; `nil` on a Unix socket.
    let peer: PeerGroup?
    /// What its socket says of the client.
    let origin: ClientOrigin
    /// Its TLS; `nil` for plaintext.
    private(set) var channel: TLSChannel?
    /// Its HTTP; `nil` for lines.
    let http: HTTPChannel?
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

    /// Bytes that the kernel has accepted for the client.
    private var sentBytes = 0

    private let poller: Poller
    /// What the poller waits for; `nil` while the socket isn't in its set.
    private var interest: Poller.Interest?
    private(set) var isClosed = false
    /// Whether its client's stream was seen to end, before it was read up to there.
    private var hasEnded = false

    /// A connection that reads at once.
    init(
        machine: consuming ConnectionMachine, socket: Socket, peer: PeerGroup?,
        origin: ClientOrigin, poller: Poller, channel: TLSChannel? = nil,
        http: HTTPChannel? = nil
    ) {
        self.http = http
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
        var wanted = interest ?? []
        if isWanted { wanted.insert(event) } else { wanted.remove(event) }
        // Who is read, or gets something, shows its end so.
        wanted.remove(.end)
        if interest != nil, wanted.isEmpty, !hasEnded { wanted.insert(.end) }
        guard wanted != interest, !isClosed else { return }
        if interest == nil, wanted.isEmpty { return }
        if poller.change(socket.fd, id: machine.id.value, from: interest, to: wanted) {
            interest = wanted
        } else {
            machine.close(.clientGone)
        }
    }

    /// Sends waiting bytes until the kernel accepts no more. Returns the number of bytes sent.
    func flush(_ context: inout ProtocolContext, _ answers: inout HTTPContext) -> Int {
        if let channel { return flush(channel, &context, &answers) }
        var sent = 0
        var isBlocked = false
        while hasBytes(&answers), !isBlocked, !isBroken {
            sent += send { bytes in
                switch socket.write(bytes) {
                case .bytes(let count): return count
                case .wouldBlock: isBlocked = true
                case .end, .broken: isBroken = true
                }
                return 0
            }
        }
        finishFlush(sent: sent, isBlocked: isBlocked, &context)
        return sent
    }

    /// The same through TLS: encrypts bytes only while few encrypted ones wait. After the last byte
    /// it ends the stream of TLS.
    private func flush(
        _ channel: TLSChannel, _ context: inout ProtocolContext, _ answers: inout HTTPContext
    ) -> Int {
        var sent = 0
        var isBlocked = false
        while !isBlocked, !isBroken {
            if hasBytes(&answers) { send { channel.connection.send($0) } }
            machine.transportBytes = 0
            // Not after a part: the end of TLS says that nothing is missing.
            if machine.isFinished, !hasBytes(&answers) { channel.connection.endSending() }
            switch channel.write(to: socket) {
            case .bytes(let count)?: sent += count
            case .wouldBlock?: isBlocked = true
            case .end?, .broken?: isBroken = true
            case nil:
                finishFlush(sent: sent, isBlocked: false, &context)
                return sent
            }
        }
        finishFlush(sent: sent, isBlocked: isBlocked, &context)
        return sent
    }

    /// Whether bytes wait for the socket, or for TLS. With HTTP, lines become answers first.
    private func hasBytes(_ answers: inout HTTPContext) -> Bool {
        guard let http else { return !machine.outbound.isEmpty }
        http.translate(from: &machine, using: &answers)
        return !http.connection.outbound.isEmpty
    }

    /// Removes waiting bytes, as many as `body` says that it has sent.
    @discardableResult private func send(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        http?.connection.outbound.send(body) ?? machine.outbound.send(body)
    }

    private func finishFlush(
        sent: Int, isBlocked: Bool, _ context: inout ProtocolContext
    ) {
        machine.transportBytes =
            (channel?.connection.waitingBytes ?? 0) + (http?.connection.outbound.count ?? 0)
        if sent > 0 {
            sentBytes += sent
            machine.recordProgress(using: &context)
        }
        if isBroken { machine.close(.clientGone) }
        waitFor(.write, isBlocked)
    }

    /// Asks the kernel how many bytes the client has accepted, while some wait.
    func measureAccepted(_ context: inout ProtocolContext) {
        guard machine.hasUnsent else { return }
        // Where the system doesn't say, what it has accepted counts.
        machine.recordAccepted(sentBytes - (socket.unconfirmedBytes ?? 0), using: context)
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
    func isReading(_ context: inout ProtocolContext) -> Bool {
        lingersUntil != nil
            || machine.isReading(using: &context) && channel?.isOverfull != true
                && channel?.waits != true
                && http?.wantsInput != false
    }

    /// Starts or stops reading from the socket, as ``isReading(_:)`` says.
    func updateReading(_ context: inout ProtocolContext) {
        waitFor(.read, isReading(&context))
    }

    /// Whether nothing is waited for, neither to be read nor to be sent.
    var waitsForNothing: Bool { interest?.isSubset(of: .end) == true }

    /// Notes that its client's stream has ended, while it isn't read.
    func noteEnd() {
        hasEnded = true
        machine.noteEnd()
    }

    /// Hears no more of the end of its client until it waits for something again.
    func ignoreEnd() {
        guard waitsForNothing else { return }
        _ = poller.change(socket.fd, id: machine.id.value, from: interest, to: nil)
        interest = nil
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
        guard !isClosed else { return }
        _ = poller.change(socket.fd, id: machine.id.value, from: interest, to: nil)
        interest = nil
        isClosed = true
    }
}
