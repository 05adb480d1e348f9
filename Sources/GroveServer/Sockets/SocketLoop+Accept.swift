import Dispatch
import Glibc
import GroveAccess
import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging
import OrderedJSON

/// Accepting connections.
extension SocketLoop {
    /// The pause after descriptors have run out, in milliseconds.
    static let restMilliseconds = 100

    /// The pause while as many handshakes wait for their turn as may, in milliseconds.
    static let fullLineMilliseconds = 10

    /// Accepts clients on sockets that listen.
    func accept(on sockets: [BoundSocket]) { for socket in sockets { accept(on: socket) } }

    private func accept(on bound: BoundSocket) {
        let listener = Listener(bound, queue: executor.queue)
        let fd = listener.socket.fd
        listener.source.setEventHandler { [weak self] in
            self?.assumeIsolated { $0.acceptReady(fd) }
        }
        listeners.append(listener)
        listener.source.resume()
    }

    /// Stops accepting. Clients that wait in the kernel's queue are reset.
    func stopListening() {
        for listener in listeners {
            // Before the socket is closed: a server that starts now would find it unused and
            // replace it.
            listener.file?.remove()
            if listener.isResting { listener.source.resume() }
            listener.source.cancel()
        }
        listeners.removeAll()
    }

    private func acceptReady(_ fd: Int32) {
        guard let listener = listeners.first(where: { $0.socket.fd == fd }) else { return }
        refreshNow()
        let most = listener.isEncrypted ? Self.acceptsWithTLSPerTurn : Self.acceptsPerTurn
        for _ in 0..<most {
            if listener.isEncrypted, handshakes.waitingCount >= Self.pacedHandshakesMax {
                return pause(listener, for: Self.fullLineMilliseconds)
            }
            switch listener.socket.accept() {
            case .socket(let socket, let peer):
                if let why = reasonToReject(peer) {
                    reject(socket, why, at: listener)
                } else {
                    admit(socket, peer, at: listener)
                }
            case .none: return
            case .gone: continue
            case .exhausted:
                rest(listener)
                return
            }
        }
    }

    private func reasonToReject(_ peer: PeerGroup?) -> WireError? {
        if connections.count >= context.limits.connectionsMax {
            WireError(.overloaded, "the server has as many connections as it may")
        } else if !peers.hasRoom(for: peer, max: context.limits.connectionsPerPeerMax) {
            WireError(.overloaded, "your address has as many connections as it may")
        } else if context.buffers.isSpent {
            WireError(.overloaded, "the server's buffers are full")
        } else {
            nil
        }
    }

    /// The time after which the kernel closes a connection whose client acknowledges nothing. For
    /// the kernel a client that doesn't read is the same, so it is longer than all times of
    /// ``ConnectionMachine`` for such a client.
    static func silenceMilliseconds(_ limits: ServerLimits) -> Int64 {
        max(limits.stuckMilliseconds, limits.slowConsumerMilliseconds) + 10_000
    }

    private func admit(_ socket: Socket, _ peer: PeerGroup?, at listener: Listener) {
        lastConnection += 1
        counters.accepted += 1
        if peer != nil {
            socket.setConnectionOptions(
                userTimeoutMilliseconds: Int32(
                    clamping: Self.silenceMilliseconds(context.limits)))
        }
        let id = lastConnection
        var machine = ConnectionMachine(id: ConnectionID(id), context: context)
        let channel = listener.isEncrypted ? beginHandshake(id, peer, listener.speech) : nil
        var origin = ClientOrigin(socket, peer)
        origin.wantsToken = listener.wantsToken
        if channel == nil {
            machine.identify(origin, using: &context)
            if listener.speech == .lines { machine.greet(using: &context) }
        }
        let connection = Connection(
            machine: machine, socket: socket, peer: peer, origin: origin, poller: poller,
            channel: channel, http: makeHTTP(listener.speech))
        // Through TLS it begins after the handshake, as a client of which more is known.
        if channel == nil, connection.http != nil { beginHTTP(connection) }
        connections[id] = connection
        peers.add(peer)
        context.buffers.connections = connections.count
        if channel == nil { countUnknown(connection) }
        update(connection)
    }

    /// Sends one error line, or an alert of TLS, and closes the socket (limits.md, "Lines and
    /// connections").
    private func reject(_ socket: Socket, _ why: WireError, at listener: Listener) {
        counters.refused += 1
        guard !listener.isEncrypted else {
            // A new socket has room for it.
            _ = Self.overloadAlert.withUnsafeBytes { socket.write($0) }
            socket.shutdownWrite()
            return
        }
        guard listener.speech == .lines else {
            refreshHTTP()
            let answer = HTTPConnection.overload(why.message, using: &http)
            _ = answer.withUnsafeBytes { socket.write($0) }
            socket.shutdownWrite()
            return
        }
        var writer = JSONWriter()
        writer.literal(#"{"id":null"#)
        why.append(to: &writer)
        writer.literal("}\n")
        // A new socket has room for a line; if not, the client only sees its end.
        _ = writer.bytes.withUnsafeBytes { socket.write($0) }
        socket.shutdownWrite()
    }

    /// Pauses a listener because descriptors have run out, so that the process doesn't spin. Before
    /// that, the reserve descriptor serves to reject the waiting clients.
    private func rest(_ listener: Listener) {
        reserve.release()
        var rejected = 0
        while rejected < Self.acceptsPerTurn, case .socket(let socket, _) = listener.socket.accept()
        {
            reject(
                socket, WireError(.overloaded, "the server has no descriptor left"),
                at: listener)
            rejected += 1
        }
        reserve.acquire()
        exhaustedLines.warn(
            log, "no descriptor left, accepting rests", at: context.now.uptime,
            metadata: [
                "turned_away": .stringConvertible(rejected),
                "rest_ms": .stringConvertible(Self.restMilliseconds),
            ])
        pause(listener, for: Self.restMilliseconds)
    }

    private func pause(_ listener: Listener, for milliseconds: Int) {
        listener.isResting = true
        listener.source.suspend()
        let fd = listener.socket.fd
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.endRest(fd) }
        }
    }

    private func endRest(_ fd: Int32) {
        reserve.acquire()
        guard let listener = listeners.first(where: { $0.socket.fd == fd }), listener.isResting
        else { return }
        listener.isResting = false
        listener.source.resume()
    }
}
