import Dispatch
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveWire
import Logging
import OrderedJSON

/// Connections with TLS: their handshakes, their bytes, and the certificate's end.
extension SocketLoop {
    /// A record of type alert: fatal, "internal error" (RFC 8446, section 6), the one for a server
    /// without room.
    static let overloadAlert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50]

    /// Uses another context for new connections; open ones keep theirs.
    func change(tls changed: TLSContext?, forHTTP changedForHTTP: TLSContext?) {
        tls = changed
        tlsForHTTP = changedForHTTP
        certificateWatch = changed.flatMap { CertificateWatch($0.certificates) }
        revocationWatch = CertificateWatch(revocationsEnd: changed?.revocationsEnd)
        warnOfCertificate()
    }

    // MARK: Handshakes

    /// The TLS of a new connection. The oldest handshake goes if there are too many.
    func beginHandshake(
        _ id: UInt64, _ peer: PeerGroup?, _ speech: BoundSocket.Speech
    ) -> TLSChannel {
        guard let tls = speech == .lines ? tls : tlsForHTTP else {
            preconditionFailure("a listener with TLS needs a certificate")
        }
        let oldest = handshakes.add(
            id, of: peer, at: context.now.uptime, max: context.limits.handshakesMax,
            perPeerMax: context.limits.handshakesPerPeerMax)
        if let oldest { dropHandshake(oldest, "displaced") }
        return TLSChannel(tls)
    }

    /// Closes a connection whose handshake has no more time or room.
    private func dropHandshake(_ id: UInt64, _ why: String) {
        guard let connection = connections[id] else { return }
        counters.handshakesFailed[why, default: 0] += 1
        connection.machine.close(.tlsFailed)
        remove(connection)
    }

    /// Once per second: closes connections whose handshake takes too long, and warns of a
    /// certificate's end.
    func tickTLS() {
        guard tls != nil else { return }
        let begun = context.now.uptime - context.limits.handshakeMilliseconds
        for id in handshakes.started(by: begun) { dropHandshake(id, "timeout") }
        refusedCertificates.warnOverdue(
            log, "more clients showed a certificate that isn't valid, or none",
            at: context.now.uptime)
        warnOfCertificate()
    }

    /// Warns of certificates, and of lists of revoked ones, that are about to end, if that is due.
    func warnOfCertificate() {
        let now = context.now
        func warn(_ watch: inout CertificateWatch?, _ what: String) {
            guard let first = watch?.first,
                watch?.isDue(time: now.time.milliseconds, uptime: now.uptime) == true
            else { return }
            let left = first.expires - now.time.milliseconds / 1_000
            log.warning(
                """
                \(what) \(left > 0 ? "ends soon" : "has ended"): put a new one in its place and \
                send SIGHUP
                """,
                metadata: ["subject": "\(first.subject)", "left_s": .stringConvertible(left)])
        }
        warn(&certificateWatch, "the certificate")
        warn(&revocationWatch, "a list of revoked certificates")
    }

    // MARK: Bytes

    /// Receives bytes through TLS.
    ///
    /// - Parameter plaintext: An empty buffer for what they say.
    func receive(
        _ bytes: UnsafeRawBufferPointer, through channel: TLSChannel, of connection: Connection,
        into plaintext: inout [UInt8]
    ) {
        let wasHandshaking = channel.isHandshaking
        channel.connection.receive(bytes, into: &plaintext)
        if wasHandshaking, !channel.isHandshaking { endHandshake(channel, of: connection) }
        if !plaintext.isEmpty {
            plaintext.withUnsafeBytes { receiveLines($0, from: connection) }
        }
        react(to: channel, of: connection)
    }

    /// The client's stream has ended, perhaps without the end of TLS.
    func receiveEnd(_ channel: TLSChannel, of connection: Connection) {
        let wasHandshaking = channel.isHandshaking
        channel.connection.receiveEnd()
        if wasHandshaking { endHandshake(channel, of: connection) }
        react(to: channel, of: connection)
    }

    /// Takes a step of a handshake, unless it must wait: then its socket is read later. True for a
    /// connection whose handshake is complete.
    func takeStep(_ channel: TLSChannel, of connection: Connection) -> Bool {
        guard channel.isHandshaking else { return true }
        // Few while the engine's thread waits.
        let most = isReadingSuspended ? Self.handshakesPerWait : Self.handshakesPerTurn
        let id = connection.machine.id.value
        if !handshakes.hasBegun(id), wantsHandshake(connection.socket) {
            guard handshakeSteps < most, handshakes.waitingCount == 0, hasRoomForHandshake else {
                // Now, because it is no silent connection any more.
                wait(channel, of: connection)
                return false
            }
            handshakePace.take()
            handshakes.begin(id)
        }
        // The poller reports the others in the next turn.
        guard handshakeSteps < most else { return false }
        handshakeSteps += 1
        return true
    }

    /// Whether the first byte of a client is one of TLS. Other bytes, and an end without any, take
    /// little time, and aren't paced.
    private func wantsHandshake(_ socket: Socket) -> Bool {
        var first: UInt8 = 0
        let outcome = withUnsafeMutableBytes(of: &first) { socket.read(into: $0, keeps: true) }
        guard case .bytes = outcome else { return false }
        return first == TLSConnection.firstByte
    }

    /// Lets a handshake wait for its turn: its socket isn't read meanwhile.
    private func wait(_ channel: TLSChannel, of connection: Connection) {
        counters.handshakesPaced += 1
        channel.waits = true
        handshakes.wait(connection.machine.id.value)
        connection.updateReading(&context)
        postPace()
    }

    private var hasRoomForHandshake: Bool {
        handshakePace.hasRoom(
            at: context.now.uptime, perSecond: context.limits.handshakesPerSecond)
    }

    /// Looks at the handshakes that wait once there is room for one.
    private func postPace() {
        guard !isPacePosted else { return }
        isPacePosted = true
        let pause = HandshakePace.pauseMilliseconds(perSecond: context.limits.handshakesPerSecond)
        executor.queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
            self?.assumeIsolated { $0.continuePaced() }
        }
    }

    private func continuePaced() {
        isPacePosted = false
        refreshNow()
        while handshakes.waitingCount > 0, hasRoomForHandshake, let id = handshakes.beginNext() {
            handshakePace.take()
            guard let connection = connections[id] else { continue }
            connection.channel?.waits = false
            connection.updateReading(&context)
        }
        if handshakes.waitingCount > 0 { postPace() }
    }

    private func endHandshake(_ channel: TLSChannel, of connection: Connection) {
        let id = connection.machine.id
        handshakes.remove(id.value)
        if case .failed(let failure) = channel.connection.phase {
            counters.handshakesFailed[failure.kind.rawValue, default: 0] += 1
            logFailed(failure, connection)
            return
        }
        counters.handshakes += 1
        // Its times begin now.
        connection.machine = ConnectionMachine(id: id, context: context)
        connection.machine.identify(
            connection.origin.with(channel.connection.peer), using: &context)
        if connection.http == nil {
            connection.machine.greet(using: &context)
        } else {
            beginHTTP(connection)
        }
        countUnknown(connection)
    }

    /// Brings what TLS has found to the protocol.
    private func react(to channel: TLSChannel, of connection: Connection) {
        switch channel.connection.phase {
        case .handshaking, .open: break
        case .peerDone:
            if let http = connection.http {
                receiveEnd(http, of: connection)
            } else {
                connection.machine.receiveEnd()
            }
        case .failed(let failure):
            switch failure.kind {
            case .notTLS: answerPlainly(connection)
            // The client is gone, and so is what it waited for.
            case .cutOff: connection.machine.close(.clientGone)
            default: connection.machine.close(.tlsFailed)
            }
        }
    }

    /// Tells a client that speaks no TLS, in one line.
    private func answerPlainly(_ connection: Connection) {
        connection.dropTLS()
        if let http = connection.http { return refusePlain(http, of: connection) }
        connection.machine.outbound.writer.literal(#"{"id":null"#)
        WireError(.badRequest, "this port speaks TLS; connect to tls:HOST:PORT")
            .append(to: &connection.machine.outbound.writer)
        connection.machine.outbound.writer.literal("}\n")
        connection.machine.close(.notTLS)
    }

    private func logFailed(_ failure: TLSFailure, _ connection: Connection) {
        let metadata: Logger.Metadata = [
            "connection": "c-\(connection.machine.id.value)",
            "peer": "\(connection.peer?.description ?? "unix")",
            "reason": "\(failure.kind.rawValue)", "problem": "\(failure)",
        ]
        switch failure.kind {
        case .certificateExpired, .certificateRefused, .certificateStranger, .certificateMissing:
            refusedCertificates.warn(
                log, "a client showed a certificate that isn't valid, or none",
                at: context.now.uptime, metadata: metadata)
        default: log.debug("a TLS handshake failed", metadata: metadata)
        }
    }

    // MARK: Numbers

    /// The numbers of TLS by name; none without it.
    var tlsNumbers: [(name: String, value: Int64)] {
        guard tls != nil else { return [] }
        let failed = counters.handshakesFailed
        var numbers: [(name: String, value: Int64)] = [
            ("tls_handshakes", counters.handshakes),
            ("tls_handshakes_failed", failed.values.reduce(0, +)),
        ]
        for (reason, count) in failed.sorted(by: { $0.key < $1.key }) {
            numbers.append(("tls_handshakes_failed.\(reason)", count))
        }
        numbers.append(("tls_handshakes_waiting", Int64(handshakes.count)))
        numbers.append(("tls_handshakes_paced", counters.handshakesPaced))
        if let first = certificateWatch?.first {
            let now = Clock.time().milliseconds / 1_000
            numbers.append(("tls_certificate_expires_s", first.expires - now))
            if let list = revocationWatch?.first {
                numbers.append(("tls_crl_expires_s", list.expires - now))
            }
        }
        return numbers
    }

    /// The reasons by which failed handshakes are counted: those of ``TLSFailure``, and two of the
    /// bounds of this queue.
    static let handshakeFailures =
        TLSFailure.Kind.allCases.map(\.rawValue) + ["timeout", "displaced"]
}
