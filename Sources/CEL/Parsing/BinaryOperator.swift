/// An operator between two operands, except `&&` and `||`.
enum BinaryOperator: String, CaseIterable, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contained = "in"

    /// Operators of a higher level bind tighter; all are left-associative.
    var level: Int {
        switch self {
        case .multiply, .divide, .remainder: 3
        case .add, .subtract: 2
        default: 1
        }
    }
}
