/// The options of connections that Grove opens.
public struct TLSClientOptions: Sendable, Equatable {
    /// What makes the client trust the server.
    public var trust = TLSTrust.system
    /// The client's own certificate and key, for servers that ask for one; `nil` sends none.
    public var identity: TLSIdentity?
    /// The oldest version that the client speaks.
    public var versionMin = TLSVersion.v1_2
    /// The protocols that the client offers (ALPN, RFC 7301), the preferred one first.
    public var protocols = [TLSContext.groveProtocol]

    /// The authorities of the system, no certificate of its own, TLS 1.2 and 1.3.
    public init() {}
}
