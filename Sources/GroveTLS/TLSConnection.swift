import COpenSSL

/// One TLS connection without its socket: ciphertext and plaintext in, plaintext and ciphertext
/// out. The same for both sides.
///
/// It owns no descriptor, reads no clock and never waits. Its owner is one queue or thread, which
///
/// - gives it the bytes that the socket delivers, by ``receive(_:into:)``, and the end of them, by
///   ``receiveEnd()``;
/// - gives it what to send, by ``send(_:)``, and the end of that, by ``endSending()``;
/// - after each of these calls sends what ``takeOutbound(_:)`` has: also a handshake, an alert or
///   the end of the stream are such bytes;
/// - then looks at ``phase``.
///
/// A client that may block writes all that waits, reads from its socket, and repeats both until
/// ``phase`` is no longer `handshaking`; after that it does the same for each request and reply.
///
/// Each direction ends by itself: after ``Phase/peerDone`` there is nothing more to receive and one
/// may still send; after ``endSending()`` one may still receive.
public struct TLSConnection: ~Copyable {
    /// How far a connection is.
    public enum Phase: Sendable, Equatable {
        /// The two sides agree on keys and look at certificates; no plaintext passes.
        case handshaking
        /// Plaintext passes.
        case open
        /// The peer has sent its last byte and said so; one's own direction is still open.
        case peerDone
        /// Nothing passes any more. An alert for the peer may still wait to be sent.
        case failed(TLSFailure)
    }

    /// The first byte of every client: a record of type handshake (RFC 8446, section 5.1).
    public static let firstByte: UInt8 = 0x16

    /// How far it is.
    public private(set) var phase = Phase.handshaking

    /// What the peer's certificate says, from ``Phase/open`` on; `nil` if it showed none. It was
    /// verified, or its key is pinned.
    public private(set) var peer: TLSCertificate?

    /// Whether ``endSending()`` was called.
    public private(set) var hasEndedSending = false

    private let context: TLSContext
    private let connection: OpaquePointer
    private let note: VerificationNote?
    private let keyChanges = KeyChanges()
    /// The library's side of ciphertext that comes in; it is empty between calls.
    private let input: OpaquePointer
    /// Its side of ciphertext that goes out; empty between calls, too.
    private var output: OpaquePointer
    private var outbound: [UInt8] = []
    private var outboundStart = 0
    private var handshakeBytes = 0

    /// A connection that a server has accepted.
    ///
    /// - Precondition: The context is a server's.
    public init(server context: TLSContext) {
        precondition(context.role == .server, "a server needs a context of its role")
        let parts = Parts(context, context.makeConnection())
        self.context = context
        connection = parts.connection
        note = parts.note
        input = parts.input
        output = parts.output
        keyChanges.attach(to: connection)
        SSL_set_accept_state(connection)
    }

    /// A connection that a client opens; its first bytes wait at once.
    ///
    /// - Parameters:
    ///   - context: The context of a client.
    ///   - serverName: The name or the IP address that the server's certificate must have, also the
    ///     one that the server chooses its certificate by.
    /// - Throws: ``TLSContextError`` for a name that can't be one: empty, with a zero byte, or
    ///   longer than 253 bytes.
    /// - Precondition: The context is a client's.
    public init(client context: TLSContext, serverName: String) throws(TLSContextError) {
        let parts = Parts(context, try Self.makeConnection(context, to: serverName))
        self.context = context
        connection = parts.connection
        note = parts.note
        input = parts.input
        output = parts.output
        keyChanges.attach(to: connection)
        advance()
    }

    /// What both sides begin with.
    private struct Parts {
        let connection: OpaquePointer
        let note: VerificationNote?
        let input = TLSConnection.makeBuffer()
        let output = TLSConnection.makeBuffer()

        init(_ context: TLSContext, _ connection: OpaquePointer) {
            self.connection = connection
            note = context.verifiesPeer ? VerificationNote() : nil
            // The connection frees both.
            SSL_set_bio(connection, input, output)
            if let note {
                let isAttached = note.attach(to: connection)
                precondition(isAttached, "there is memory for a pointer")
            }
        }
    }

    /// A connection of the library that asks for a name.
    private static func makeConnection(
        _ context: TLSContext, to serverName: String
    ) throws(TLSContextError) -> OpaquePointer {
        precondition(context.role == .client, "a client needs a context of its role")
        guard (1...253).contains(serverName.utf8.count), !serverName.utf8.contains(0) else {
            throw TLSContextError("\"\(serverName.prefix(80))\" can't be a server's name")
        }
        let connection = context.makeConnection()
        SSL_set_connect_state(connection)
        // An address is in no request for a certificate (RFC 6066, section 3).
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), serverName) != 1 {
            ERR_clear_error()
            // Only alternative names count; a subject is text for people (RFC 6125, section 6.4.4).
            SSL_set_hostflags(
                connection,
                UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            guard SSL_set1_host(connection, serverName) == 1,
                grove_tls_set_name(connection, serverName) == 1
            else {
                SSL_free(connection)
                throw TLSContextError("\"\(serverName)\" can't be a server's name")
            }
        }
        return connection
    }

    deinit { SSL_free(connection) }

    fileprivate static func makeBuffer() -> OpaquePointer {
        guard let made = BIO_new(BIO_s_mem()) else {
            preconditionFailure("there is memory for a buffer")
        }
        return made
    }

    /// The version that both sides speak, for the log: `TLSv1.3`. It is final from ``Phase/open``
    /// on.
    public var version: String { String(cString: SSL_get_version(connection)) }

    // MARK: Receiving

    /// Receives bytes of the peer and appends what they say to `plaintext`: never more bytes than
    /// came in, in this call and in an unfinished record before it (16 KiB). After the peer's end
    /// or a failure it ignores them.
    public mutating func receive(
        _ ciphertext: UnsafeRawBufferPointer, into plaintext: inout [UInt8]
    ) {
        var rest = ciphertext[...]
        keyChanges.count = 0
        while !rest.isEmpty {
            switch phase {
            case .peerDone, .failed: return
            case .handshaking, .open: break
            }
            if phase == .handshaking, isRefusedBeforehand(rest) { return }
            let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.sliceBytesMax))
            rest = rest.dropFirst(slice.count)
            let written = BIO_write(input, slice.baseAddress, Int32(slice.count))
            precondition(written == slice.count, "there is memory for some ciphertext")
            if phase == .handshaking {
                handshakeBytes += slice.count
                advance()
            }
            if phase == .open { read(into: &plaintext) }
            if phase == .open, keyChanges.count > Self.keyChangesMax {
                fail(TLSFailure(.tooMuch, "the peer changed its keys too often"))
            }
        }
    }

    /// The peer's bytes have ended. Without the end of TLS before it, it is a failure: bytes may be
    /// missing.
    public mutating func receiveEnd() {
        switch phase {
        case .peerDone, .failed: break
        case .handshaking, .open:
            fail(TLSFailure(.cutOff, "the connection ended without the end of TLS"))
        }
    }

    /// Whether the next bytes make it fail before the library sees them.
    private mutating func isRefusedBeforehand(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        // The answer of a server may be an alert.
        if handshakeBytes == 0, bytes.first != Self.firstByte,
            context.role == .server || bytes.first != 0x15
        {
            fail(TLSFailure(.notTLS, "the peer doesn't speak TLS"))
            return true
        }
        if handshakeBytes >= Self.handshakeBytesMax {
            fail(
                TLSFailure(
                    .tooMuch, "the handshake has more than \(Self.handshakeBytesMax) bytes"))
            return true
        }
        return false
    }

    /// Continues the handshake with what has come in.
    private mutating func advance() {
        ERR_clear_error()
        let status = SSL_do_handshake(connection)
        if status == 1 {
            phase = .open
            peer = readPeer()
        } else if SSL_get_error(connection, status) != SSL_ERROR_WANT_READ {
            fail(failure())
        }
        drainOutput()
    }

    private func readPeer() -> TLSCertificate? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        return TLSCertificate(certificate)
    }

    /// Decrypts all records that have come in whole.
    private mutating func read(into plaintext: inout [UInt8]) {
        // Nothing becomes longer when it is decrypted.
        let isShort = BIO_ctrl_pending(input) <= Self.stackBytes
        withUnsafeTemporaryAllocation(
            byteCount: isShort ? Self.stackBytes : Self.recordBytesMax, alignment: 16
        ) { buffer in
            // The library's search for a record in nothing takes as long as a short record.
            while phase == .open,
                BIO_ctrl_pending(input) > 0 || SSL_has_pending(connection) == 1
            {
                LibraryError.forget()
                let count = SSL_read(connection, buffer.baseAddress, Int32(buffer.count))
                if count > 0 {
                    plaintext += buffer[..<Int(count)]
                    continue
                }
                switch SSL_get_error(connection, count) {
                case SSL_ERROR_WANT_READ: return
                case SSL_ERROR_ZERO_RETURN: phase = .peerDone
                default: fail(failure())
                }
            }
        }
        // An answer to a change of keys, or an alert.
        drainOutput()
    }

    // MARK: Sending

    /// Encrypts the beginning of `plaintext`, unless ``waitingBytesMax`` bytes wait already.
    ///
    /// - Returns: The number of bytes that were encrypted: 0 while handshaking, and after a failure
    ///   or ``endSending()``. Send the rest when some of the waiting bytes are gone.
    public mutating func send(_ plaintext: UnsafeRawBufferPointer) -> Int {
        guard canSend else { return 0 }
        var sent = 0
        while sent < plaintext.count, waitingBytes < Self.waitingBytesMax {
            let part = UnsafeRawBufferPointer(
                rebasing: plaintext[sent...].prefix(Self.recordBytesMax))
            LibraryError.forget()
            let count = SSL_write(connection, part.baseAddress, Int32(part.count))
            guard count > 0 else {
                fail(failure())
                return sent
            }
            sent += Int(count)
            drainOutput()
        }
        return sent
    }

    /// Whether ``send(_:)`` may take something, once enough waiting bytes are gone.
    public var canSend: Bool {
        guard !hasEndedSending else { return false }
        switch phase {
        case .open, .peerDone: return true
        case .handshaking, .failed: return false
        }
    }

    /// Ends one's own direction: the peer sees that nothing is missing. The last waiting bytes say
    /// so; a socket's own end may follow them. Does nothing before the end of the handshake, after
    /// a failure, and the second time.
    public mutating func endSending() {
        guard canSend else { return }
        hasEndedSending = true
        ERR_clear_error()
        if SSL_shutdown(connection) < 0 { fail(failure()) }
        drainOutput()
    }

    /// Uses new keys from now on, and makes the peer do so (RFC 8446, section 4.6.3). Grove never
    /// needs it; some peers do it after much data. Only in TLS 1.3.
    package mutating func changeKeys() {
        guard canSend else { return }
        ERR_clear_error()
        if SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED) != 1
            || SSL_do_handshake(connection) != 1
        {
            fail(failure())
        }
        drainOutput()
    }

    /// The number of bytes that wait to be sent: at most ``waitingBytesMax`` and one record, and as
    /// many as came in since they were looked at last.
    public var waitingBytes: Int { outbound.count - outboundStart }

    /// Removes bytes that were sent.
    ///
    /// - Parameter body: Sends a prefix of the waiting bytes, of which there is at least one, and
    ///   returns its length.
    /// - Returns: That length; 0 when nothing waits.
    @discardableResult
    public mutating func takeOutbound(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        guard waitingBytes > 0 else { return 0 }
        let start = outboundStart
        let sent = outbound.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        precondition((0...waitingBytes).contains(sent), "no more than waits can be sent")
        outboundStart += sent
        if waitingBytes == 0 {
            outbound.removeAll(keepingCapacity: outbound.capacity <= Self.sliceBytesMax)
            outboundStart = 0
        }
        return sent
    }

    /// Moves ciphertext from the library's buffer to the waiting bytes.
    private mutating func drainOutput() {
        let count = BIO_ctrl_pending(output)
        guard count > 0 else { return }
        if outboundStart > 0 {
            outbound.removeFirst(outboundStart)
            outboundStart = 0
        }
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
            let read = BIO_read(output, buffer.baseAddress, Int32(buffer.count))
            precondition(read == buffer.count, "a buffer gives what it has")
            outbound += buffer
        }
        guard count > Self.sliceBytesMax else { return }
        // The buffer never shrinks, and an idle connection would keep it.
        output = Self.makeBuffer()
        SSL_set0_wbio(connection, output)
    }

    // MARK: Failing

    private mutating func fail(_ failure: TLSFailure) {
        phase = .failed(failure)
        drainOutput()
        ERR_clear_error()
    }

    /// The reason of the library's last error.
    private func failure() -> TLSFailure {
        let error = LibraryError.take()
        // Whatever part of the library has found it, such as the one for signatures.
        if phase == .handshaking, SSL_get_verify_result(connection) != Int(X509_V_OK) {
            return refusal()
        }
        guard let reason = error.reason else { return TLSFailure(.invalid, error.text) }
        if let alert = error.alert { return TLSFailure(.peerAlert, error.text, alert: alert) }
        switch reason {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return refusal()
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return TLSFailure(.certificateMissing, "the peer showed no certificate")
        case SSL_R_NO_APPLICATION_PROTOCOL: return TLSFailure(.noProtocol, error.text)
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SUITABLE_KEY_SHARE,
            SSL_R_NO_SHARED_GROUPS, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW,
            SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_WRONG_VERSION_NUMBER:
            return TLSFailure(.nothingInCommon, error.text)
        default: return TLSFailure(.invalid, error.text)
        }
    }

    /// The reason why the peer's certificate isn't valid.
    private func refusal() -> TLSFailure {
        let result = SSL_get_verify_result(connection)
        let kind: TLSFailure.Kind =
            switch Int32(truncatingIfNeeded: result) {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .certificateExpired
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .certificateName
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE:
                .certificateStranger
            default: .certificateRefused
            }
        let words = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? ""
        return TLSFailure(
            kind, "the peer's certificate isn't valid: \(words)", subject: note?.subject)
    }
}
