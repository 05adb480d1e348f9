/// A fault of a regular expression's text.
struct RegexFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
