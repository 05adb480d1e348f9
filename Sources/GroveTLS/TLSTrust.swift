/// What makes a client trust a server. There is no way to trust every server.
public enum TLSTrust: Sendable, Equatable {
    /// The authorities that the system trusts, and the server's name in the certificate.
    case system
    /// The authorities in this PEM file and no others, and the server's name in the certificate.
    case authorities(file: String)
    /// One of these public keys, whatever names, dates and authorities the certificate has. At
    /// least one.
    case pins([PublicKeyPin])
}
