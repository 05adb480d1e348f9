/// A part of a document that can't be imported, or that needs a look.
public struct ImportProblem: Hashable, Sendable {
    /// The weight of a problem.
    public enum Severity: String, Hashable, Sendable {
        /// The definition would mean something else: none is made.
        case error
        /// The definition is made; the message names the difference.
        case warning
    }

    /// The weight.
    public let severity: Severity
    /// The line, counted from 1.
    public let line: Int
    /// The column in characters, counted from 1.
    public let column: Int
    /// One sentence: the part of the document, and the reason.
    public let message: String
}

extension ImportProblem: CustomStringConvertible {
    /// Place, severity and message: `3:14: error: …`.
    public var description: String { "\(line):\(column): \(severity): \(message)" }
}
