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
    /// The line of the definition's text, counted from 1; nil if it wasn't read from a text.
    public internal(set) var line: Int?
    /// The column in Unicode scalars, counted from 1; nil if it wasn't read from a text.
    public internal(set) var column: Int?

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
        return expression.map { "\(head)\n\($0.excerpt)" } ?? head
    }

    /// The description after the name of the file with the definition, and the place in it:
    /// `order.json:7:12: error: …`.
    public func description(in file: String) -> String {
        let place = line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
        return "\(file)\(place): \(self)"
    }
}

extension [ChartProblem] {
    /// The same with their places in the text of the definition.
    func placed(in bytes: [UInt8]) -> [ChartProblem] {
        guard !isEmpty else { return self }
        let places = DefinitionPlaces.find(map(\.path), in: bytes)
        return zip(self, places).map { problem, place in
            var problem = problem
            (problem.line, problem.column) = (place.line, place.column)
            return problem
        }
    }
}
