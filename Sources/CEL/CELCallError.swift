/// The failure of a function of the host.
public struct CELCallError: Error, Hashable, Sendable {
    /// One sentence.
    public let message: String

    /// A failure.
    public init(_ message: String) { self.message = message }
}
