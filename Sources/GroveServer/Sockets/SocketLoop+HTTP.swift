import GroveAccess
import GroveEngine
import GroveHTTP
import GroveProtocol
import GroveTLS
import GroveWire
import Logging
import OrderedJSON

/// Connections with HTTP: their requests become lines of the protocol, and its lines answers.
extension SocketLoop {
    /// The HTTP of a new connection; `nil` where lines are spoken.
    func makeHTTP(_ speech: BoundSocket.Speech) -> HTTPChannel? {
        guard speech != .lines else { return nil }
        refreshHTTP()
        return HTTPChannel(http, isReadOnly: speech == .httpToRead)
    }

    /// Makes a new connection one with HTTP, which gets no greeting.
    func beginHTTP(_ connection: Connection) {
        connection.machine.beginRequests(using: &context)
        connection.machine.isReadOnly = connection.http?.isReadOnly ?? false
    }

    /// Receives bytes of HTTP: as they were read, or decrypted.
    func receiveHTTP(
        _ bytes: UnsafeRawBufferPointer, through channel: HTTPChannel, of connection: Connection
    ) {
        channel.unspentBytes += bytes.count
        guard channel.backlog.isEmpty, channel.connection.acceptsBytes else {
            if channel.connection.end == nil { channel.backlog.append(contentsOf: bytes) }
            return
        }
        var position = 0
        advance(channel, of: connection, bytes, &position)
        if position < bytes.count, channel.connection.end == nil {
            channel.backlog = Array(bytes[position...])
        }
        react(to: channel, of: connection)
    }

    /// Accepts requests that had to wait for an answer, or for another turn.
    func resume(_ channel: HTTPChannel, of connection: Connection) {
        reactToAnswer(channel, of: connection)
        var mayGoOn = hasWork(channel, connection)
        while mayGoOn, http.work > 0 {
            let work = http.work
            var bytes: [UInt8] = []
            swap(&bytes, &channel.backlog)
            var position = 0
            bytes.withUnsafeBytes { advance(channel, of: connection, $0, &position) }
            if channel.connection.end == nil {
                // The memory of an empty one isn't kept.
                if position < bytes.count { channel.backlog = Array(bytes[position...]) }
            }
            react(to: channel, of: connection)
            send(connection)
            mayGoOn = hasWork(channel, connection)
            // A part of a request, of which the rest is to come.
            if work == http.work, position == 0 { break }
        }
        if channel.isHalfClosed, channel.backlog.isEmpty, channel.connection.end == nil {
            channel.connection.receiveEnd(using: &http)
            react(to: channel, of: connection)
            mayGoOn = hasWork(channel, connection)
        }
        if mayGoOn { postResume(connection) }
    }

    /// Ends a connection whose last answer was just written.
    private func reactToAnswer(_ channel: HTTPChannel, of connection: Connection) {
        guard channel.connection.end != nil, connection.machine.closing == nil else { return }
        react(to: channel, of: connection)
        // The end of TLS.
        send(connection)
    }

    /// Whether bytes wait that mean something now.
    private func hasWork(_ channel: HTTPChannel, _ connection: Connection) -> Bool {
        channel.connection.acceptsBytes && connection.machine.closing == nil
            && (!channel.backlog.isEmpty || channel.connection.hasWork)
            && !connection.machine.hasBacklog
    }

    private func advance(
        _ channel: HTTPChannel, of connection: Connection, _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int
    ) {
        refreshHTTP()
        while connection.machine.closing == nil, !connection.machine.hasBacklog,
            let action = channel.connection.next(
                in: bytes, from: &position, isUnknown: connection.machine.isUnknown, using: &http)
        {
            switch action {
            case .lines: giveLines(to: connection)
            case .identify:
                // The last request has shown another token than the one before, or none.
                connection.machine.identifyAnew(using: &context)
                if !connection.isCountedUnknown { countUnknown(connection) }
                giveLines(to: connection)
            case .greet:
                if channel.connection.isOpenEnded {
                    connection.machine.beginLines(using: &context)
                }
                connection.machine.greet(using: &context)
            case .answered: connection.machine.recordAnswer()
            case .draw(let order): draw(order, for: channel, of: connection)
            }
        }
    }

    /// Gives the lines of a request, or of messages, to the protocol.
    private func giveLines(to connection: Connection) {
        guard !http.lines.bytes.isEmpty else { return }
        var burst: [Request] = []
        http.lines.bytes.withUnsafeBytes {
            connection.machine.receive($0, into: &burst, using: &context)
        }
        submit(burst)
        noteAccess(of: connection)
    }

    /// Brings what HTTP has found to the protocol.
    func react(to channel: HTTPChannel, of connection: Connection) {
        if channel.unspentBytes > 0, channel.connection.isSenderKnown {
            connection.machine.spend(bytes: channel.unspentBytes, using: &context)
            channel.unspentBytes = 0
        }
        connection.machine.waitingBytes = channel.waitingBytes
        channel.boundWaiting(connection.machine)
        if let reason = channel.connection.end, connection.machine.closing == nil {
            connection.machine.close(reason)
        }
    }

    /// Tells a client that speaks HTTP without TLS.
    func refusePlain(_ channel: HTTPChannel, of connection: Connection) {
        refreshHTTP()
        channel.connection.refusePlain(using: &http)
        connection.machine.close(.notTLS)
    }

    /// The client's stream has ended.
    func receiveEnd(_ channel: HTTPChannel, of connection: Connection) {
        refreshHTTP()
        channel.isHalfClosed = true
        // Nothing of its request was carried out, and nobody waits for it any more.
        if connection.machine.waitsForQuota { return connection.machine.close(.clientGone) }
        // Whole requests are answered first, unless the client would wait for what nobody reads.
        let mayEnd = channel.connection.isOpenEnded || channel.connection.isWaitingLong
        guard channel.backlog.isEmpty || mayEnd else { return }
        channel.connection.receiveEnd(using: &http)
        react(to: channel, of: connection)
    }

    /// Once per second.
    func tick(_ channel: HTTPChannel, of connection: Connection) {
        channel.connection.tick(using: &http)
        react(to: channel, of: connection)
    }

    /// Changes the bounds of new connections.
    func changeHTTP(_ limits: ServerLimits) {
        http.settings.bodyBytesMax = limits.lineBytesMax
        http.settings.requestMilliseconds = limits.lineMilliseconds
    }

    /// Lets the standard address take a token, or none, as lines reach further or less far. If it
    /// takes one now, and there are no principals who could have shown one, connections over HTTP
    /// that came before end.
    func changeReach(_ lines: LinesReach) {
        var isNarrower = false
        for listener in listeners where listener.isAutomatic {
            isNarrower = isNarrower || !listener.wantsToken && lines == .someUsers
            listener.wantsToken = lines == .someUsers
        }
        guard isNarrower, context.access.accounts.isOpen else { return }
        for connection in connections.values where connection.http != nil {
            connection.machine.close(.unauthenticated)
            update(connection)
        }
    }

    /// Sets the present time and the server's health, for the requests of a turn.
    func refreshHTTP() {
        http.now = context.now.uptime
        http.seconds = context.now.time.milliseconds / 1_000
        http.isLive = context.health.isLive(at: context.now.uptime)
        http.isReady = context.health.isReady(at: context.now.uptime)
    }

    /// Logs the answers that a connection has begun.
    func logAnswers(_ channel: HTTPChannel, of connection: Connection) {
        for entry in channel.connection.entries {
            log.debug(
                "answered over HTTP",
                metadata: [
                    "connection": "c-\(connection.machine.id.value)",
                    "route": "\(entry.route ?? "none")",
                    "status": .stringConvertible(entry.status),
                    "bytes": entry.bytes.map { .stringConvertible($0) } ?? "stream",
                    "ms": .stringConvertible(entry.milliseconds),
                ])
        }
        channel.connection.entries.removeAll()
    }

    /// The classes of statuses, by which answers are counted.
    static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

    /// The numbers of HTTP by name; none before the first answer.
    var httpNumbers: [(name: String, value: Int64)] {
        let answers = http.answers.dropFirst()
        let sum = answers.reduce(0, +)
        guard sum > 0 else { return [] }
        return [("http_answers", sum)]
            + zip(Self.statusClasses, answers).map { ("http_answers.\($0)", $1) }
    }
}
