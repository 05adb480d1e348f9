import COpenSSL

/// Certificates, keys and rules that many connections share. It is built whole, or not at all, and
/// never changes; connections keep the one they began with.
///
/// Every connection has these rules: TLS 1.2 and 1.3; in 1.2 only ECDHE with AES-GCM or
/// ChaCha20-Poly1305; no renegotiation, compression, tickets, remembered sessions or early data.
/// So each connection proves itself by a full handshake, and none outlives a certificate.
public final class TLSContext: @unchecked Sendable {
    // Unchecked because a pointer is no sendable type. It is right because nothing changes an
    // `SSL_CTX` after `init`, and the library counts its references atomically
    // (man 7 openssl-threads).

    /// The name of HTTP/1.1 in handshakes.
    public static let httpProtocol = "http/1.1"

    /// The name of Grove's protocol in handshakes (ALPN, RFC 7301).
    public static let groveProtocol = "grove/1"

    /// Whether its connections are accepted or opened.
    public let role: TLSRole

    /// The own certificates in the order of the options; empty for a client without one.
    public let certificates: [TLSCertificate]

    /// The seconds since 1970 at which the first list of revoked certificates ends: from then on
    /// clients of its authority are refused. `nil` without a list.
    public let revocationsEnd: Int64?

    /// The library's contexts, one per certificate; they differ in nothing else. At least one.
    private let contexts: [OpaquePointer]

    /// The protocols as they are on the wire: each with its length before it.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    /// The bytes of all pins, one after the other.
    private let pins: UnsafeMutableBufferPointer<UInt8>

    /// Whether peers show certificates.
    let verifiesPeer: Bool

    /// Reads the files of a server.
    ///
    /// - Throws: ``TLSContextError`` for a file that can't be read or isn't PEM, a key that doesn't
    ///   fit or that others can read, a certificate too weak for the library, and options that
    ///   contradict each other. Dates of certificates aren't checked: see
    ///   ``TLSCertificate/expires``.
    public init(server options: TLSServerOptions) throws(TLSContextError) {
        guard !options.identities.isEmpty else {
            throw TLSContextError("a server needs a certificate and its key")
        }
        guard options.identities.count <= Self.identitiesMax else {
            throw TLSContextError("there are more than \(Self.identitiesMax) certificates")
        }
        let needsAuthorities = options.clientCertificates != .none
        guard !needsAuthorities || options.clientAuthorities != nil else {
            throw TLSContextError("certificates of clients need the authorities that sign them")
        }
        guard needsAuthorities || options.clientRevocations == nil else {
            throw TLSContextError("a list of revoked certificates needs certificates of clients")
        }
        var builder = try TLSContextBuilder(.server, options.versionMin)
        for identity in options.identities { try builder.add(identity) }
        if needsAuthorities, let file = options.clientAuthorities {
            try builder.trust(file: file, announces: true)
            if let lists = options.clientRevocations { try builder.revoke(file: lists, of: file) }
        }
        let isRequired = options.clientCertificates == .required
        builder.verifyPeers(
            needsAuthorities
                ? SSL_VERIFY_PEER | (isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)
                : SSL_VERIFY_NONE)
        role = .server
        verifiesPeer = needsAuthorities
        certificates = builder.certificates
        revocationsEnd = builder.revocationsEnd
        protocols = try Self.wireForm(options.protocols)
        pins = .allocate(capacity: 0)
        contexts = builder.takeContexts()
        for context in contexts {
            SSL_CTX_set_alpn_select_cb(
                context, chooseProtocol, Unmanaged.passUnretained(self).toOpaque())
        }
        if contexts.count > 1 {
            grove_tls_set_name_callback(
                contexts[0], chooseCertificate, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// Reads the files of a client.
    ///
    /// - Throws: ``TLSContextError``, as for a server.
    public init(client options: TLSClientOptions) throws(TLSContextError) {
        var builder = try TLSContextBuilder(.client, options.versionMin)
        if let identity = options.identity { try builder.add(identity) }
        var pinBytes: [UInt8] = []
        switch options.trust {
        case .system: try builder.trustSystem()
        case .authorities(let file): try builder.trust(file: file, announces: false)
        case .pins(let pins):
            guard !pins.isEmpty else { throw TLSContextError("there is no key to trust") }
            pinBytes = pins.flatMap(\.bytes)
        }
        builder.verifyPeers(SSL_VERIFY_PEER)
        role = .client
        verifiesPeer = true
        certificates = builder.certificates
        revocationsEnd = nil
        protocols = try Self.wireForm(options.protocols)
        pins = .allocate(capacity: pinBytes.count)
        _ = pins.initialize(from: pinBytes)
        contexts = builder.takeContexts()
        // Answers 0 for success, other than nearly all functions of the library.
        guard
            SSL_CTX_set_alpn_protos(
                contexts[0], protocols.baseAddress, UInt32(protocols.count)) == 0
        else { throw TLSContextError("there is no memory for the protocols") }
        if !pins.isEmpty {
            SSL_CTX_set_cert_verify_callback(
                contexts[0], verifyPin, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    deinit {
        for context in contexts { SSL_CTX_free(context) }
        protocols.deallocate()
        pins.deallocate()
    }

    /// A new connection of the library, with the first certificate.
    func makeConnection() -> OpaquePointer {
        let made = SSL_new(contexts[0])
        guard let made else { preconditionFailure("there is memory for a connection") }
        return made
    }

    private static func wireForm(
        _ names: [String]
    ) throws(TLSContextError) -> UnsafeMutableBufferPointer<UInt8> {
        var bytes: [UInt8] = []
        for name in names {
            guard (1...255).contains(name.utf8.count) else {
                throw TLSContextError("a protocol has a name of 1 to 255 bytes")
            }
            bytes.append(UInt8(name.utf8.count))
            bytes += Array(name.utf8)
        }
        guard !bytes.isEmpty, bytes.count < 1 << 16 else {
            throw TLSContextError("there must be a protocol, and not thousands")
        }
        let form = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = form.initialize(from: bytes)
        return form
    }

    // MARK: What the library asks

    /// Chooses one of the protocols that a client offers.
    fileprivate func select(
        _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>,
        _ length: UnsafeMutablePointer<UInt8>, from offered: UnsafePointer<UInt8>, _ count: UInt32
    ) -> Bool {
        var place: UnsafeMutablePointer<UInt8>?
        let status = SSL_select_next_proto(
            &place, length, protocols.baseAddress, UInt32(protocols.count), offered, count)
        chosen.pointee = UnsafePointer(place)
        return status == OPENSSL_NPN_NEGOTIATED
    }

    /// Gives a connection the first certificate with the name that the client asks for.
    fileprivate func selectCertificate(for connection: OpaquePointer) {
        guard let name = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name) else { return }
        let wanted = contexts.first { context in
            guard let certificate = SSL_CTX_get0_certificate(context) else { return false }
            return X509_check_host(
                certificate, name, 0, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil) == 1
        }
        // The first one stays for names that no certificate has.
        if let wanted { SSL_set_SSL_CTX(connection, wanted) }
    }

    /// Whether a certificate has one of the pinned keys.
    fileprivate func isPinned(_ certificate: OpaquePointer) -> Bool {
        guard let pin = TLSCertificate.pin(of: certificate) else { return false }
        return stride(from: 0, to: pins.count, by: 32).contains { start in
            pins[start..<(start + 32)].elementsEqual(pin.bytes)
        }
    }
}

/// The context that a callback of the library got as its argument: it lives as long as its
/// connections.
private func context(_ argument: UnsafeMutableRawPointer?) -> TLSContext? {
    argument.map { Unmanaged<TLSContext>.fromOpaque($0).takeUnretainedValue() }
}

private func chooseProtocol(
    _ connection: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = context(argument), let chosen, let length, let offered,
        context.select(chosen, length, from: offered, count)
    else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    return SSL_TLSEXT_ERR_OK
}

private func chooseCertificate(
    _ connection: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    if let connection { context(argument)?.selectCertificate(for: connection) }
    return SSL_TLSEXT_ERR_OK
}

private func verifyPin(
    _ verification: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    if let certificate = X509_STORE_CTX_get0_cert(verification),
        context(argument)?.isPinned(certificate) == true
    {
        X509_STORE_CTX_set_error(verification, X509_V_OK)
        return 1
    }
    X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_UNTRUSTED)
    return 0
}
