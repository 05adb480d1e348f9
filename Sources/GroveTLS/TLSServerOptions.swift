/// The options of connections that Grove accepts.
public struct TLSServerOptions: Sendable, Equatable {
    /// Whether clients show a certificate.
    public enum ClientCertificates: String, Sendable, CaseIterable {
        /// None is asked for.
        case none
        /// One is asked for. A client without one is accepted; one that shows a certificate that
        /// isn't valid is refused.
        case asked
        /// A client without a valid certificate is refused.
        case required
    }

    /// Certificates and keys. A client that asks for a name gets the first certificate that has it;
    /// others get the first one. At least one, at most ``TLSContext/identitiesMax``.
    public var identities: [TLSIdentity] = []
    /// The oldest version that the server speaks.
    public var versionMin = TLSVersion.v1_2
    /// The protocols that the server accepts (ALPN, RFC 7301), the preferred one first. A client
    /// that offers only others is refused; one that offers none is accepted.
    public var protocols = [TLSContext.groveProtocol]
    /// Whether clients show a certificate.
    public var clientCertificates = ClientCertificates.none
    /// The path of a PEM file with the authorities of clients' certificates; needed unless
    /// ``clientCertificates`` is `none`. No other authority counts, not even the system's.
    public var clientAuthorities: String?
    /// The path of a PEM file with lists of revoked certificates (RFC 5280, section 5), one of each
    /// authority that signs certificates of clients; `nil` if none is revoked. A client whose
    /// authority has no list, or one past its date, is refused.
    public var clientRevocations: String?

    /// No certificate yet, TLS 1.2 and 1.3, no certificates of clients.
    public init() {}
}
