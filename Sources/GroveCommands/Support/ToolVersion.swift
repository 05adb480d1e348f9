/// The version of this program; the protocol's version is another matter.
enum ToolVersion {
    /// The version, as in the change log.
    static let current = "0.1.0"
}
