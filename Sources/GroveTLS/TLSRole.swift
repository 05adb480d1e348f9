/// The side of a connection.
public enum TLSRole: Sendable {
    /// The side that opens connections, and asks for a name.
    case client
    /// The side that accepts connections, and has a certificate.
    case server
}
