/// The versions that the greeting announces (protocol.md, "Connecting").
package enum ProtocolVersion {
    /// The only version of the protocol that server and clients support.
    package static let current: Int64 = 1

    /// The server's version.
    package static let server = "0.1.0"

    /// The port of a server with default settings.
    package static let defaultPort: UInt16 = 7400
}
