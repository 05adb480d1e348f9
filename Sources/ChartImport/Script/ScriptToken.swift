/// A token of ECMAScript.
struct ScriptToken: Sendable {
    enum Kind: Hashable, Sendable {
        case number(Double)
        case string(String)
        /// A name or keyword.
        case word(String)
        case mark(String)
        case end
    }

    let kind: Kind
    let index: Int
    /// Whether a line ends before it.
    let startsLine: Bool
}
