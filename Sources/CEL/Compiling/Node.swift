/// An operation of a compiled expression; operands are nodes, by their positions.
struct Node {
    enum Opcode: UInt8 {
        /// A constant: `a` its position.
        case constant
        /// A variable: `a` its slot.
        case variable
        /// A macro's variable: `a` its position.
        case local
        /// A member of a variable: `a` its slot, `b` the key.
        case variableField
        /// Members of node `a`: `b` the key.
        case field, optionalField, hasField
        /// Elements of node `a`: `b` the index.
        case index, optionalIndex
        case not, negate
        case add, subtract, multiply, divide, remainder
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contained
        /// `b` operands from position `a` of the list of operands on.
        case and, or
        /// Node `a` decides between `b` and `c`.
        case conditional
        /// `b` operands from `a` on; in `list`, each is followed by 1 if it is optional, in `map`
        /// each key by its value and this mark.
        case list, map
        /// Function `c` with `b` operands from `a` on.
        case call, host
        /// Macro: `a` its position.
        case comprehension
        /// A fault known before: `a` the constant with its message.
        case fault
    }

    let opcode: Opcode
    var a: Int32 = 0
    var b: Int32 = 0
    var c: Int32 = 0
    /// The place in the text.
    let offset: Int32
}
