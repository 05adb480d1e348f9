/// The text of an error of `update` that isn't a ``Rejection``.
public struct StepError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text of the error.
    public let reason: String

    /// A sentence with the text.
    public var description: String { "update failed: \(reason)" }
}
