import Dispatch
import Glibc
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging
import OrderedJSON

/// A listening socket and its source. Never leaves the io queue.
final class Listener {
    let socket: Socket
    let address: SocketAddress
    /// The file of a Unix socket.
    let file: UnixSocketFile?
    let source: any DispatchSourceRead
    var isResting = false

    init(_ bound: BoundSocket, queue: DispatchQueue) {
        let socket = bound.socket
        self.socket = socket
        address = bound.address
        file = bound.file
        source = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        source.setCancelHandler { withExtendedLifetime(socket) {} }
    }
}

/// A socket that listens already.
struct BoundSocket {
    let socket: Socket
    /// Where, with the port that the system has chosen.
    let address: SocketAddress
    /// The file of a Unix socket.
    var file: UnixSocketFile?

    /// Listens on an address.
    ///
    /// - Parameters:
    ///   - wanted: Where.
    ///   - mode: The permissions of a Unix socket's file.
    ///   - backlog: How many clients may wait to be accepted.
    static func listen(
        on wanted: SocketAddress, mode: mode_t, backlog: Int32
    ) throws(ListenFailure) -> BoundSocket {
        if case .unix(let path) = wanted.host {
            let made = try UnixSocketFile.listen(at: path, mode: mode, backlog: backlog)
            return BoundSocket(socket: made.socket, address: wanted, file: made.file)
        }
        do throws(SocketError) {
            let socket = try Socket.listening(on: wanted, backlog: backlog)
            return BoundSocket(socket: socket, address: try socket.localAddress())
        } catch {
            throw ListenFailure(wanted, error)
        }
    }

    /// Connections the kernel keeps for us until they are accepted: a storm of clients is served
    /// late instead of refused.
    static let backlog: Int32 = 4_096

    /// Listens on all addresses; where a port is 0, all get the one that the first is given.
    ///
    /// - Parameters:
    ///   - addresses: Where.
    ///   - mode: The permissions of the files of Unix sockets.
    /// - Throws: when one of them can't be had; then none is kept.
    static func listen(
        on addresses: [SocketAddress], mode: mode_t
    ) throws(ListenFailure) -> [BoundSocket] {
        var port: UInt16?
        var bound: [BoundSocket] = []
        for address in addresses {
            var wanted = address
            if !wanted.isUnix, wanted.port == 0, let port { wanted.port = port }
            do throws(ListenFailure) {
                let made = try listen(on: wanted, mode: mode, backlog: backlog)
                if !wanted.isUnix { port = port ?? made.address.port }
                bound.append(made)
            } catch {
                // A machine without IPv6 has no ::1; it is part of "localhost" all the same.
                if case .v6 = address.host, !bound.isEmpty, error.isMissingFamily { continue }
                for made in bound { made.file?.remove() }
                throw error
            }
        }
        return bound
    }
}

/// Accepting.
extension SocketLoop {
    /// Connections accepted in one turn, so that clients that are there are served meanwhile.
    static let acceptsPerTurn = 64

    /// How long accepting rests when descriptors have run out, in milliseconds.
    static let restMilliseconds = 100

    /// Accepts clients on sockets that listen.
    func accept(on sockets: [BoundSocket]) { for socket in sockets { begin(socket) } }

    private func begin(_ bound: BoundSocket) {
        let listener = Listener(bound, queue: executor.queue)
        let fd = listener.socket.fd
        listener.source.setEventHandler { [weak self] in
            self?.assumeIsolated { $0.acceptReady(fd) }
        }
        listeners.append(listener)
        listener.source.resume()
    }

    /// Accepts nobody any more. Clients that wait in the kernel's queue are reset.
    func stopListening() {
        for listener in listeners {
            // Before the socket is closed: a server that starts now would find it dead and put
            // its own in place.
            listener.file?.remove()
            if listener.isResting { listener.source.resume() }
            listener.source.cancel()
        }
        listeners.removeAll()
    }

    private func acceptReady(_ fd: Int32) {
        guard let listener = listeners.first(where: { $0.socket.fd == fd }) else { return }
        lookAtClock()
        for _ in 0..<Self.acceptsPerTurn {
            switch listener.socket.accept() {
            case .socket(let socket, let peer):
                if connections.count >= context.limits.connectionsMax {
                    turnAway(socket, "the server has as many connections as it may")
                } else if !peers.hasRoom(for: peer, max: context.limits.connectionsPerPeerMax) {
                    turnAway(socket, "your address has as many connections as it may")
                } else if context.buffers.isSpent {
                    turnAway(socket, "the server's buffers are full")
                } else {
                    admit(socket, peer)
                }
            case .none: return
            case .gone: continue
            case .exhausted:
                rest(listener)
                return
            }
        }
    }

    /// How long the kernel waits for a client that acknowledges nothing, or takes nothing. A client
    /// that only doesn't read counts as the same, so it is longer than any time that
    /// ``ConnectionMachine`` gives such a one.
    static func silenceMilliseconds(_ limits: ServerLimits) -> Int64 {
        max(limits.stuckMilliseconds, limits.slowConsumerMilliseconds) + 10_000
    }

    private func admit(_ socket: Socket, _ peer: PeerGroup?) {
        lastConnection += 1
        counters.accepted += 1
        if peer != nil {
            socket.setConnectionOptions(
                userTimeoutMilliseconds: Int32(
                    clamping: Self.silenceMilliseconds(context.limits)))
        }
        let id = lastConnection
        var machine = ConnectionMachine(id: ConnectionID(id), context: context)
        machine.greet(using: &context)
        let connection = Connection(
            machine: machine, socket: socket, peer: peer, queue: executor.queue
        ) { [weak self] in
            self?.assumeIsolated { $0.readReady(id) }
        }
        connections[id] = connection
        peers.add(peer)
        context.buffers.connections = connections.count
        writeReady(id)
    }

    /// One error line, then the end (limits.md, "Lines and connections").
    private func turnAway(_ socket: Socket, _ why: String) {
        counters.refused += 1
        var writer = JSONWriter()
        writer.literal(#"{"id":null"#)
        WireError(.overloaded, why).append(to: &writer)
        writer.literal("}\n")
        // A fresh socket has room for a line; if not, the client learns as much from its end.
        _ = writer.bytes.withUnsafeBytes { socket.write($0) }
        socket.shutdownWrite()
    }

    /// Descriptors have run out: with the reserve, the clients that wait are turned away, then
    /// accepting rests, so that the process doesn't spin.
    private func rest(_ listener: Listener) {
        reserve.release()
        var turned = 0
        while turned < Self.acceptsPerTurn, case .socket(let socket, _) = listener.socket.accept() {
            turnAway(socket, "the server has no descriptor left")
            turned += 1
        }
        reserve.acquire()
        log.warning(
            "no descriptor left, accepting rests",
            metadata: [
                "turned_away": .stringConvertible(turned),
                "rest_ms": .stringConvertible(Self.restMilliseconds),
            ])
        listener.isResting = true
        listener.source.suspend()
        let fd = listener.socket.fd
        let deadline = DispatchTime.now() + .milliseconds(Self.restMilliseconds)
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
