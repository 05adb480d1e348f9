extension Evaluator {
    mutating func arithmetic(_ node: Node) throws(EvaluationFailure) -> CELValue {
        let left = try value(node.a)
        let right = try value(node.b)
        switch (left, right) {
        case (.int(let left), .int(let right)):
            return .int(try Self.integer(node.opcode, left, right))
        case (.double(let left), .double(let right)):
            return .double(try Self.double(node.opcode, left, right))
        case (.uint(let left), .uint(let right)):
            return .uint(try Self.integer(node.opcode, left, right))
        default: return try otherArithmetic(node, left, right)
        }
    }

    private static func integer<T: FixedWidthInteger>(
        _ opcode: Node.Opcode, _ left: T, _ right: T
    ) throws(EvaluationFailure) -> T {
        let result: (partialValue: T, overflow: Bool)
        switch opcode {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        default:
            guard right != 0 else { throw EvaluationFailure("division by zero") }
            result =
                opcode == .divide
                ? left.dividedReportingOverflow(by: right)
                : left.remainderReportingOverflow(dividingBy: right)
        }
        guard !result.overflow else { throw EvaluationFailure("integer overflow") }
        return result.partialValue
    }

    private static func double(
        _ opcode: Node.Opcode, _ left: Double, _ right: Double
    ) throws(EvaluationFailure) -> Double {
        switch opcode {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide: return left / right
        default: throw EvaluationFailure("'%' can't be applied to (double, double)")
        }
    }

    private mutating func otherArithmetic(
        _ node: Node, _ left: CELValue, _ right: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        switch (node.opcode, left, right) {
        case (.add, .string(let left), .string(let right)):
            try budget.make(text: left.utf8.count + right.utf8.count)
            return .string(left + right)
        case (.add, .bytes(let left), .bytes(let right)):
            try budget.make(text: left.count + right.count)
            return .bytes(left + right)
        case (.add, .list(let left), .list(let right)):
            try budget.make(elements: left.count + right.count)
            return .list(left + right)
        default: break
        }
        if code.pointee.isMixed, let result = try mixed(node.opcode, left, right) { return result }
        if let result = try times(node.opcode, left, right) { return result }
        throw EvaluationFailure(
            "'\(Self.symbol(node.opcode))' can't be applied to "
                + "(\(left.type.name), \(right.type.name))")
    }

    /// Numbers of two types; nil for other values.
    private func mixed(
        _ opcode: Node.Opcode, _ left: CELValue, _ right: CELValue
    ) throws(EvaluationFailure) -> CELValue? {
        switch (left, right) {
        case (.int(let left), .uint(let right)):
            guard let right = Int64(exactly: right) else {
                throw EvaluationFailure("integer overflow")
            }
            return .int(try Self.integer(opcode, left, right))
        case (.uint(let left), .int(let right)):
            guard let left = Int64(exactly: left) else {
                throw EvaluationFailure("integer overflow")
            }
            return .int(try Self.integer(opcode, left, right))
        default:
            guard let left = left.number, let right = right.number else { return nil }
            return .double(try Self.double(opcode, left, right))
        }
    }

    /// Timestamps and durations; nil for other values.
    private func times(
        _ opcode: Node.Opcode, _ left: CELValue, _ right: CELValue
    ) throws(EvaluationFailure) -> CELValue? {
        let result: CELValue?
        switch (opcode, left, right) {
        case (.add, .timestamp(let time), .duration(let duration)),
            (.add, .duration(let duration), .timestamp(let time)):
            result = time.adding(duration).map(CELValue.timestamp)
        case (.subtract, .timestamp(let time), .duration(let duration)):
            let (negated, overflow) = (0 as Int64).subtractingReportingOverflow(
                duration.nanoseconds)
            result =
                overflow
                ? nil
                : time.adding(CELDuration(nanoseconds: negated)).map(CELValue.timestamp)
        case (.subtract, .timestamp(let left), .timestamp(let right)):
            result = left.since(right).map(CELValue.duration)
        case (.add, .duration(let left), .duration(let right)),
            (.subtract, .duration(let left), .duration(let right)):
            let nanoseconds = try Self.integer(opcode, left.nanoseconds, right.nanoseconds)
            result = .duration(CELDuration(nanoseconds: nanoseconds))
        default: return nil
        }
        guard let result else { throw EvaluationFailure("the time is out of range") }
        return result
    }

    func negated(_ value: CELValue) throws(EvaluationFailure) -> CELValue {
        switch value {
        case .int(let value):
            guard value != .min else { throw EvaluationFailure("integer overflow") }
            return .int(-value)
        case .double(let value): return .double(-value)
        default: throw EvaluationFailure("'-' can't be applied to \(value.type.name)")
        }
    }

    mutating func areEqual(_ node: Node) throws(EvaluationFailure) -> Bool {
        try value(node.a).isEqual(to: value(node.b), &budget)
    }

    mutating func comparison(_ node: Node) throws(EvaluationFailure) -> CELValue {
        let left = try value(node.a)
        let right = try value(node.b)
        if case .int(let left) = left, case .int(let right) = right {
            return .bool(Self.holds(node.opcode, CELOrder(left, right)))
        }
        if case .string(let text) = left { try budget.spend(work: text.utf8.count) }
        if case .bytes(let bytes) = left { try budget.spend(work: bytes.count) }
        guard let order = left.order(to: right) else {
            throw EvaluationFailure(
                "'\(Self.symbol(node.opcode))' can't be applied to "
                    + "(\(left.type.name), \(right.type.name))")
        }
        return .bool(Self.holds(node.opcode, order))
    }

    private static func holds(_ opcode: Node.Opcode, _ order: CELOrder) -> Bool {
        switch opcode {
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .same
        case .greater: order == .greater
        default: order == .greater || order == .same
        }
    }

    private static func symbol(_ opcode: Node.Opcode) -> String {
        switch opcode {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .remainder: "%"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        default: "\(opcode)"
        }
    }
}

extension CELValue {
    /// The nearest double of a number; nil for other values.
    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
