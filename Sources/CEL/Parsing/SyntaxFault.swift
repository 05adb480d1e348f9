/// A fault of an expression's text.
struct SyntaxFault: Error {
    var message: String
    var offset: Int
    /// Whether a bound was reached.
    var isLimit = false

    init(_ message: String, _ offset: Int) {
        self.message = message
        self.offset = offset
    }

    static func limit(_ message: String, _ offset: Int) -> SyntaxFault {
        var fault = SyntaxFault(message, offset)
        fault.isLimit = true
        return fault
    }
}
