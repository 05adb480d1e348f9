import CEL

/// An expression of a definition with its place.
final class ChartExpression: Sendable {
    let text: String
    /// The program; nil if the text is no expression, which the error mode of SCXML allows.
    let program: CELProgram?
    /// The fault of an expression without a program.
    let fault: String
    /// The JSON path.
    let path: String
    /// Whether it may call `in`.
    let callsIn: Bool

    init(
        _ text: String, _ program: CELProgram?, fault: String = "", path: String, callsIn: Bool
    ) {
        self.text = text
        self.program = program
        self.fault = fault
        self.path = path
        self.callsIn = callsIn
    }
}
