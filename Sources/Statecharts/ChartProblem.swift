public import CEL

/// A fault or a weak point of a definition, with its place.
public struct ChartProblem: Hashable, Sendable {
    /// The weight of a problem.
    public enum Severity: String, Hashable, Sendable {
        /// The definition can't be used.
        case error
        /// The definition can be used, but probably isn't meant like this.
        case warning
    }

    /// The weight.
    public let severity: Severity
    /// The JSON path of the value, such as `$.states.cart.on.PAY[0].target`.
    public let path: String
    /// One sentence: the fault, and the way to mend it.
    public let message: String
    /// The fault of an expression, with its line and column.
    public let expression: CELError?

    init(
        _ severity: Severity, _ path: String, _ message: String, expression: CELError? = nil
    ) {
        self.severity = severity
        self.path = path
        self.message = message
        self.expression = expression
    }
}

extension ChartProblem: CustomStringConvertible {
    /// Severity, path and message; for an expression its line with a caret below the fault.
    public var description: String {
        let head = "\(severity): \(path): \(message)"
        return expression.map { "\(head)\n\($0)" } ?? head
    }
}
