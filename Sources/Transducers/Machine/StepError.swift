/// What `update` threw, as text, when it was no ``Rejection``.
public struct StepError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error, in its own words.
    public let reason: String

    /// What the error said.
    public var description: String { "update failed: \(reason)" }
}
