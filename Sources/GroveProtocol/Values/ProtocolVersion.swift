/// What the greeting announces (protocol.md, "Connecting").
public enum ProtocolVersion {
    /// The one version of the protocol this server speaks.
    public static let current: Int64 = 1

    /// The server's version.
    public static let server = "0.1.0"

    /// The port where clients look for a server.
    public static let defaultPort: UInt16 = 7400
}
