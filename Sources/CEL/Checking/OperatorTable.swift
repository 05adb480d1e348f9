/// The signatures of operators.
enum OperatorTable {
    /// The signatures of an operator between two operands.
    static func overloads(_ found: BinaryOperator, mixed: Bool) -> [Overload] {
        (plain[found] ?? []) + (mixed && isArithmetic(found) ? mixedNumbers : [])
    }

    static let negate = [Overload([.int], .int), Overload([.double], .double)]

    static let index = [
        Overload([.list(FunctionTable.a), .int], FunctionTable.a),
        Overload([.map(FunctionTable.a, FunctionTable.b), FunctionTable.a], FunctionTable.b),
    ]

    private static func isArithmetic(_ found: BinaryOperator) -> Bool {
        [.add, .subtract, .multiply, .divide, .remainder].contains(found)
    }

    private static let numbers: [CELType] = [.int, .uint, .double]

    private static let mixedNumbers: [Overload] = numbers.flatMap { left in
        numbers.filter { $0 != left }.map { right in
            Overload([left, right], left == .double || right == .double ? .double : .int)
        }
    }

    private static func same(_ types: [CELType]) -> [Overload] {
        types.map { Overload([$0, $0], $0) }
    }

    private static let plain: [BinaryOperator: [Overload]] = [
        .add: same(numbers + [.string, .bytes, .list(FunctionTable.a), .duration]) + [
            Overload([.timestamp, .duration], .timestamp),
            Overload([.duration, .timestamp], .timestamp),
        ],
        .subtract: same(numbers + [.duration]) + [
            Overload([.timestamp, .duration], .timestamp),
            Overload([.timestamp, .timestamp], .duration),
        ],
        .multiply: same(numbers),
        .divide: same(numbers),
        .remainder: same([.int, .uint]),
        .less: order, .lessOrEqual: order, .greater: order, .greaterOrEqual: order,
        .contained: [
            Overload([FunctionTable.a, .list(FunctionTable.a)], .bool),
            Overload([FunctionTable.a, .map(FunctionTable.a, FunctionTable.b)], .bool),
        ],
    ]

    private static let order: [Overload] =
        ([.string, .bytes, .bool, .timestamp, .duration].map { [$0, $0] }
        + numbers.flatMap { left in numbers.map { [left, $0] } }).map { Overload($0, .bool) }
}
