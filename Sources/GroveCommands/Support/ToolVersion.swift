/// The version of this program, which isn't that of the protocol.
enum ToolVersion {
    /// The version, as in the change log.
    static let current = "0.1.0"
}
