/// A failed evaluation before its place is known.
struct EvaluationFailure: Error {
    /// Whether a bound was reached: then no operator absorbs the failure.
    var isLimit = false
    var message: String
    /// The place in the text; negative until the node that failed adds its own.
    var offset: Int32 = -1

    init(_ message: String) { self.message = message }

    static func limit(_ message: String) -> EvaluationFailure {
        var failure = EvaluationFailure(message)
        failure.isLimit = true
        return failure
    }

    /// The same failure with a place, unless it has one.
    func at(_ offset: Int32) -> EvaluationFailure {
        guard self.offset < 0 else { return self }
        var failure = self
        failure.offset = offset
        return failure
    }
}
