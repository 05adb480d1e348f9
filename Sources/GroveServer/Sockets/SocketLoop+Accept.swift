import Dispatch
import GroveEngine
import GroveProtocol
import Logging
import OrderedJSON

/// A listening socket and its source. Never leaves the io queue.
final class Listener {
    let socket: Socket
    let address: SocketAddress
    let source: any DispatchSourceRead
    var isResting = false

    init(socket: Socket, address: SocketAddress, queue: DispatchQueue) {
        self.socket = socket
        self.address = address
        source = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        source.setCancelHandler { withExtendedLifetime(socket) {} }
    }
}

/// Listening and accepting.
extension SocketLoop {
    /// Connections the kernel keeps for us until they are accepted: a storm of clients is served
    /// late instead of refused.
    static let backlog: Int32 = 4_096

    /// Connections accepted in one turn, so that clients that are there are served meanwhile.
    static let acceptsPerTurn = 64

    /// How long accepting rests when descriptors have run out, in milliseconds.
    static let restMilliseconds = 100

    /// Listens on all addresses; where a port is 0, all get the one that the first is given.
    ///
    /// - Throws: when one of them can't be had; then none is kept.
    func listen(on addresses: [SocketAddress]) throws(SocketError) -> [SocketAddress] {
        var port: UInt16?
        var sockets: [(Socket, SocketAddress)] = []
        for address in addresses {
            var wanted = address
            if wanted.port == 0, let port { wanted.port = port }
            let socket: Socket
            do {
                socket = try Socket.listening(on: wanted, backlog: Self.backlog)
            } catch {
                // A machine without IPv6 has no ::1; it is part of "localhost" all the same.
                if case .v6 = address.host, !sockets.isEmpty, error.isMissingFamily { continue }
                throw error
            }
            let bound = try socket.localAddress()
            port = port ?? bound.port
            sockets.append((socket, bound))
        }
        for (socket, bound) in sockets { begin(socket, bound) }
        return sockets.map(\.1)
    }

    private func begin(_ socket: Socket, _ address: SocketAddress) {
        let listener = Listener(socket: socket, address: address, queue: executor.queue)
        let fd = socket.fd
        listener.source.setEventHandler { [weak self] in
            self?.assumeIsolated { $0.acceptReady(fd) }
        }
        listeners.append(listener)
        listener.source.resume()
    }

    /// Accepts nobody any more. Clients that wait in the kernel's queue are reset.
    func stopListening() {
        for listener in listeners {
            if listener.isResting { listener.source.resume() }
            listener.source.cancel()
        }
        listeners.removeAll()
    }

    private func acceptReady(_ fd: Int32) {
        guard let listener = listeners.first(where: { $0.socket.fd == fd }) else { return }
        context.now = Clock.now()
        for _ in 0..<Self.acceptsPerTurn {
            switch listener.socket.accept() {
            case .socket(let socket):
                if connections.count >= context.limits.connectionsMax {
                    turnAway(socket)
                } else {
                    admit(socket)
                }
            case .none: return
            case .gone: continue
            case .exhausted:
                rest(listener)
                return
            }
        }
    }

    private func admit(_ socket: Socket) {
        lastConnection += 1
        counters.accepted += 1
        socket.setConnectionOptions(
            userTimeoutMilliseconds: Int32(clamping: context.limits.heartbeatMilliseconds))
        let id = lastConnection
        var machine = ConnectionMachine(id: ConnectionID(id), context: context)
        machine.greet(using: &context)
        let connection = Connection(
            machine: machine, socket: socket, queue: executor.queue
        ) { [weak self] in
            self?.assumeIsolated { $0.readReady(id) }
        }
        connections[id] = connection
        writeReady(id)
    }

    /// One error line, then the end (limits.md, "Lines and connections").
    private func turnAway(_ socket: Socket) {
        counters.refused += 1
        var writer = JSONWriter()
        writer.literal(#"{"id":null,"#)
        WireError(.overloaded, "the server has as many connections as it may").append(to: &writer)
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
        while turned < Self.acceptsPerTurn, case .socket(let socket) = listener.socket.accept() {
            turnAway(socket)
            turned += 1
        }
        reserve.acquire()
        log.warning(
            "no descriptor left, accepting rests",
            metadata: ["turned_away": "\(turned)", "rest_ms": "\(Self.restMilliseconds)"])
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
