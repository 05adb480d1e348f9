/// A parameter of a request's query: its name, and the member of the op that it becomes.
struct HTTPParameter: Sendable {
    /// The form of the value.
    enum Form: Sendable, Equatable {
        case text
        /// An integer in decimal.
        case integer
        /// `true` or `false`.
        case flag
        case word([String])
        /// Words with commas between them.
        case words([String])
        /// `now`, `first`, `last:N` or a cursor.
        case start
    }

    let name: String
    let form: Form
    /// The path of its member in the op, such as `select.kind`; its name if there is no other.
    let member: String
    /// What it means, for the manual.
    let meaning: String
    /// Whether a request needs it.
    let isRequired: Bool
    /// The integers that are allowed; `nil` for all.
    let range: ClosedRange<Int>?

    init(
        _ name: String, _ form: Form, _ meaning: String, member: String? = nil,
        isRequired: Bool = false, range: ClosedRange<Int>? = nil
    ) {
        self.name = name
        self.form = form
        self.meaning = meaning
        self.member = member ?? name
        self.isRequired = isRequired
        self.range = range
    }

    /// The rule that a wrong value breaks, after "NAME ".
    var rule: String {
        switch form {
        case .text: "is a text"
        case .integer: "is an integer"
        case .flag: "is true or false"
        case .word(let words): "is one of \(words.joined(separator: ", "))"
        case .words(let words):
            "has words of \(words.joined(separator: ", ")), with commas between them"
        case .start: "is now, first, last:N or a cursor"
        }
    }
}
