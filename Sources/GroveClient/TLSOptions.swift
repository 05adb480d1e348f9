import GroveTLS

/// What a server at `tls:HOST:PORT` has to prove, and what the client shows it.
///
/// Without options, the server's certificate must be for the host of the address and come from an
/// authority that the system trusts. There is no option that trusts every server, and a client
/// never falls back to a connection without TLS.
///
/// The files are read again for each connection: a renewed certificate is used from the next one
/// on.
public struct TLSOptions: Hashable, Sendable {
    /// The path of a PEM file with certificates of authorities, which count instead of those that
    /// the system trusts.
    public var ca: String?
    /// The server's public key. It replaces authority, name and dates, unless ``ca`` is there: then
    /// both are checked.
    public var pin: Pin?
    /// The path of a PEM file with the client's certificate, for servers that ask for one; those of
    /// the authorities between it and the root may follow.
    public var certificate: String?
    /// The path of a PEM file with the key of ``certificate``, without a pass phrase. A file that
    /// every user can read is refused.
    public var key: String?

    /// Options; without arguments the system's authorities count, and the client shows no
    /// certificate.
    public init(
        ca: String? = nil, pin: Pin? = nil, certificate: String? = nil, key: String? = nil
    ) {
        self.ca = ca
        self.pin = pin
        self.certificate = certificate
        self.key = key
    }

    /// The SHA-256 of a public key: of its `SubjectPublicKeyInfo` in DER. It stays the same when a
    /// certificate is renewed for the same key.
    public struct Pin: Hashable, Sendable, CustomStringConvertible {
        let key: PublicKeyPin

        /// Reads `sha256/` and the hash in Base64, 44 characters; `nil` for anything else.
        public init?(_ text: String) {
            guard let key = PublicKeyPin(text) else { return nil }
            self.key = key
        }

        /// The pin in the form that ``init(_:)`` reads.
        public var description: String { key.description }
    }

    /// Whether there is no option.
    var isEmpty: Bool { self == TLSOptions() }

    /// Whether a server with this certificate, whose handshake is complete, is the pinned one; also
    /// if none is pinned. Authorities don't check that.
    package func accepts(_ certificate: TLSCertificate?) -> Bool {
        pin.map { certificate?.pin == $0.key } ?? true
    }

    /// Reads the files. Blocks meanwhile.
    package func makeContext() throws(TLSProblem) -> TLSContext {
        var options = TLSClientOptions()
        switch (ca, pin) {
        case (let ca?, _): options.trust = .authorities(file: ca)
        case (nil, let pin?): options.trust = .pins([pin.key])
        case (nil, nil): options.trust = .system
        }
        switch (certificate, key) {
        case (let certificate?, let key?):
            options.identity = TLSIdentity(certificate: certificate, key: key)
        case (nil, nil): break
        default: throw TLSProblem(.configuration, "a client's certificate and its key go together")
        }
        do throws(TLSContextError) {
            return try TLSContext(client: options)
        } catch {
            throw TLSProblem(.configuration, error.description)
        }
    }
}
