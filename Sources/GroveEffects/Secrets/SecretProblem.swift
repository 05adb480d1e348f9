/// What is wrong with a secret or its file; never with a part of the value.
public struct SecretProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problem, in one line.
    public let description: String

    init(_ description: String) { self.description = description }
}
