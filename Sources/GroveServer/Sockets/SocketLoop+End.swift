import Dispatch
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging

/// The end of connections.
extension SocketLoop {
    /// Ends a connection of which nothing more will be sent.
    func end(_ connection: Connection) {
        switch connection.machine.closing {
        case .httpRequest, .tlsHello, .notTLS:
            if connection.lingersUntil == nil { logForeign(connection) }
            linger(connection)
        case .httpRefused, .httpClosed, .idle, .unauthenticated, .revoked, .expired,
            .connectionLimit, .serverShutdown,
            .unsupportedProto, .lineFlood, .lineTimeout, .tlsFailed:
            linger(connection)
        case .clientClosed, .clientGone, .heartbeatTimeout, .slowConsumer, nil:
            remove(connection)
        }
    }

    /// A connection that isn't read is broken, or its client has closed it: nobody will get what
    /// the client waits for. What it has sent before is still carried out, as if it was there.
    func meetEnd(of connection: Connection) {
        // To send something fails now.
        update(connection)
        guard !connection.isClosed, connection.waitsForNothing else { return }
        guard !connection.machine.hasBacklog, !hasUnread(connection.socket) else {
            return connection.ignoreEnd()
        }
        connection.machine.close(.clientGone)
        remove(connection)
    }

    private func hasUnread(_ socket: Socket) -> Bool {
        var byte: UInt8 = 0
        return switch withUnsafeMutableBytes(of: &byte, { socket.read(into: $0, keeps: true) }) {
        case .bytes: true
        case .wouldBlock, .end, .broken: false
        }
    }

    /// Logs that a client was rejected for its protocol: a web page may have sent a browser.
    private func logForeign(_ connection: Connection) {
        foreignLines.warn(
            log, "a client spoke another protocol and was turned away", at: context.now.uptime,
            metadata: [
                "connection": "c-\(connection.machine.id.value)",
                "peer": "\(connection.peer?.description ?? "unix")",
                "reason": "\(connection.machine.closing?.rawValue ?? "")",
            ])
    }

    private func linger(_ connection: Connection) {
        guard connection.lingersUntil == nil else { return }
        connection.linger(until: context.now.uptime + Self.lingerMilliseconds)
        let id = connection.machine.id.value
        let deadline = DispatchTime.now() + .milliseconds(Int(Self.lingerMilliseconds))
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.endLingering(id) }
        }
    }

    private func endLingering(_ id: UInt64) {
        if let connection = connections[id] { remove(connection) }
    }

    func remove(_ connection: Connection) {
        let id = connection.machine.id
        guard connections.removeValue(forKey: id.value) != nil else { return }
        connection.close()
        handshakes.remove(id.value)
        drawings.forget(id)
        if connection.isCountedUnknown { endUnknown(connection) }
        peers.remove(connection.peer)
        context.buffers.connections = connections.count
        context.buffers.count(0, insteadOf: &connection.countedBytes)
        context.remove(connection.machine)
        // Its last requests may wait to be given to the engine with those of others. After its end
        // nobody would end what they begin. On the engine's thread they come first anyway.
        if !isReadingSuspended { submitCollected() }
        engine.post { $0.connectionClosed(id) }
        log.debug(
            "connection closed",
            metadata: [
                "connection": "c-\(id.value)",
                "reason": "\(connection.machine.closing?.rawValue ?? "")",
            ])
        if connections.isEmpty { resumeWaiters() }
    }
}
