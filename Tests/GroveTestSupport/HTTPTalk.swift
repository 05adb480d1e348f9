public import GroveEngine
import GroveHTTP
public import GroveProtocol
import GroveWire
import OrderedJSON

/// A server in memory that speaks HTTP: what the queue of sockets does, without sockets.
public final class HTTPTalk {
    package let server: InMemoryServer
    package var context: HTTPContext
    private let draw: (DrawingOrder) -> DrawingOutcome
    private var now = Moment(uptime: 1_000, time: Timestamp(milliseconds: 1_760_000_000_000))

    /// A client's connection.
    public final class Client {
        fileprivate let id: ConnectionID
        package var http: HTTPConnection
        fileprivate let greeting: [UInt8]
        fileprivate var backlog: [UInt8] = []
        fileprivate var beats = false
        /// What the client has got and nobody has taken.
        fileprivate var received: [UInt8] = []

        fileprivate init(
            _ id: ConnectionID, _ http: consuming HTTPConnection, _ greeting: [UInt8]
        ) {
            (self.id, self.greeting) = (id, greeting)
            self.http = http
        }

        /// Takes what the client has got.
        public func take() -> [UInt8] {
            defer { received = [] }
            return received
        }
    }

    private var clients: [Client] = []

    /// A server without drawings.
    public convenience init(
        catalogue: Catalogue, store: any Store, limits: ServerLimits = ServerLimits()
    ) {
        self.init(HTTPSettings(), catalogue: catalogue, store: store, limits: limits) { _ in
            .refused("nothing is drawn")
        }
    }

    /// A server that answers orders of drawings by a function.
    package init(
        _ settings: HTTPSettings, catalogue: Catalogue, store: any Store, limits: ServerLimits,
        draw: @escaping (DrawingOrder) -> DrawingOutcome
    ) {
        server = InMemoryServer(catalogue: catalogue, store: store, limits: limits, now: now)
        self.draw = draw
        var settings = settings
        settings.bodyBytesMax = limits.lineBytesMax
        context = HTTPContext(settings)
        refresh()
    }

    /// A client of whom nothing is known.
    public func connect() throws -> Client { try connect(as: .unknown) }

    /// A client of whom the transport says this.
    package func connect(as origin: ClientOrigin) throws -> Client {
        let id = server.connect(as: origin)
        server.beginRequests(id)
        let client = Client(id, HTTPConnection(context), try server.read(id))
        clients.append(client)
        return client
    }

    /// Lets the client send bytes, and everything happen that follows.
    public func send(_ bytes: [UInt8], from client: Client) throws {
        pass(milliseconds: 1)
        client.backlog += bytes
        try settle()
    }

    /// Ends the client's stream.
    public func endStream(of client: Client) throws {
        client.http.receiveEnd(using: &context)
        try settle()
    }

    /// So much time passes, and the server looks at the clock once a second.
    package func tick(milliseconds: Int64) throws {
        var left = milliseconds
        while left > 0 {
            pass(milliseconds: min(left, 1_000))
            left -= 1_000
            try server.tick()
            for client in clients { client.http.tick(using: &context) }
            try settle()
        }
    }

    package func drain() throws {
        server.drain(milliseconds: 5_000)
        try settle()
    }

    /// Ends every connection, as the server's end does.
    public func finish() throws {
        try server.finish()
        try settle()
    }

    private func pass(milliseconds: Int64) {
        now.uptime += milliseconds
        now.time.milliseconds += milliseconds
        refresh()
    }

    private func refresh() {
        server.context.now = now
        context.now = now.uptime
        context.seconds = now.time.milliseconds / 1_000
    }

    private func settle() throws {
        var isBusy = true
        while isBusy {
            isBusy = false
            for client in clients where try advance(client) { isBusy = true }
            try server.flush()
            while let due = server.nextDue, due <= now.time {
                try server.enqueueDue()
                try server.flush()
            }
            while server.hasBackgroundWork { try server.work() }
            for client in clients where try collect(client) { isBusy = true }
        }
    }

    /// Lets a connection accept its bytes. Returns whether something happened.
    private func advance(_ client: Client) throws -> Bool {
        guard client.http.acceptsBytes, !client.backlog.isEmpty || client.http.hasWork else {
            return false
        }
        context.work = HTTPLimits.workPerTurnMax
        let bytes = client.backlog
        client.backlog = []
        var position = 0
        while true {
            let isUnknown = server[client.id]?.machine.isUnknown ?? true
            let action = bytes.withUnsafeBytes {
                client.http.next(
                    in: $0, from: &position, isUnknown: isUnknown, using: &context)
            }
            guard let action else { break }
            switch action {
            case .lines: try server.receive(context.lines.bytes, from: client.id)
            case .identify:
                server.identifyAnew(client.id)
                try server.receive(context.lines.bytes, from: client.id)
            case .greet:
                if client.http.isOpenEnded { server.beginLines(client.id) }
                try give(client.greeting, to: client)
            case .answered: break
            case .draw(let order):
                client.http.finish(draw(order), using: &context)
            }
        }
        client.backlog = Array(bytes[position...])
        return true
    }

    private func collect(_ client: Client) throws -> Bool {
        let lines = try server.read(client.id)
        try give(lines, to: client)
        beat(client)
        if let reason = server[client.id]?.machine.closing, client.http.end == nil {
            client.http.finish(reason, using: &context)
        }
        var sent: [UInt8] = []
        client.http.outbound.send { bytes in
            sent = Array(bytes)
            return bytes.count
        }
        client.received += sent
        return !lines.isEmpty || !sent.isEmpty
    }

    private func beat(_ client: Client) {
        guard client.http.isOpenEnded, !client.beats else { return }
        client.beats = true
        if client.http.answersHeartbeats {
            server.beat(client.id, .answered)
        } else {
            server.beat(
                client.id, .unanswered, milliseconds: HTTPLimits.streamHeartbeatMilliseconds)
        }
    }

    private func give(_ lines: [UInt8], to client: Client) throws {
        var rest = lines[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { client.http.translate($0, using: &context) }
            rest = rest.dropFirst(count)
            client.http.outbound.send { bytes in
                client.received += Array(bytes)
                return bytes.count
            }
        }
    }
}
