/// A word of an expression's text.
struct Token {
    enum Kind: Equatable {
        /// A name that can be a variable, function, member or a macro's name.
        case identifier(String)
        /// A word that no variable may have as its name, but a member may.
        case reserved(String)
        /// A member's name between back quotes.
        case quoted(String)
        case literal
        /// `true`, `false`, `null`, `in`.
        case keyword(String)
        /// An operator or mark.
        case mark(String)
        case end
    }

    let kind: Kind
    /// The place of its first byte.
    let offset: Int
    /// The value of a literal.
    var value: CELValue = .null
    /// The digits of a number, to which a minus sign may still belong.
    var number = ""
    /// Whether a number was written with `u`.
    var isUnsigned = false

    /// Whether a minus sign before it is part of the literal.
    var isSignedNumber: Bool { kind == .literal && !number.isEmpty && !isUnsigned }
}
