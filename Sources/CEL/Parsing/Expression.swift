/// An expression as it was written, with macros expanded.
final class Expression: Sendable {
    /// An element of a list, or a value of an entry.
    struct Element: Sendable {
        let value: Expression
        /// Whether the element is left out if its value is `optional.none()`.
        let isOptional: Bool
    }

    struct Entry: Sendable {
        let key: Expression
        let value: Element
    }

    enum Kind: Sendable {
        case literal(CELValue)
        /// A name; with a leading point it is looked up without the container.
        case name(String)
        case select(Expression, Selection)
        case index(Expression, Expression, isOptional: Bool)
        case not(Expression)
        case negate(Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// All operands of `a && b && c`.
        case and([Expression])
        case or([Expression])
        case conditional(Expression, Expression, Expression)
        case list([Element])
        case map([Entry])
        case call(String, target: Expression?, [Expression])
        case comprehension(Comprehension)
    }

    /// A member's selection.
    struct Selection: Sendable {
        enum Style: Sendable {
            /// `a.b`
            case plain
            /// `a.?b`
            case optional
            /// `has(a.b)`
            case test
        }
        let field: String
        let style: Style
        /// Whether the name was in back quotes, so that it is no part of a qualified name.
        let isQuoted: Bool
    }

    /// A macro over the elements of a list or map, or over an optional value.
    struct Comprehension: Sendable {
        let macro: Macro
        let range: Expression
        /// The element of a list or the key of a map; with two names the index or key, and the
        /// value.
        let names: [String]
        let condition: Expression?
        let result: Expression?
    }

    let kind: Kind
    /// The place of the operator or the first byte.
    let offset: Int
    /// The levels of expressions in it, itself included.
    let levels: Int

    init(_ kind: Kind, _ offset: Int, levels: Int) {
        self.kind = kind
        self.offset = offset
        self.levels = levels
    }
}
