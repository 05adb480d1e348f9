/// A fault of a regular expression's text.
struct RegexFault: Error {
    let message: String
    /// The parts that were compiled before it.
    let visits: Int

    init(_ message: String, visits: Int = 0) {
        self.message = message
        self.visits = visits
    }
}
