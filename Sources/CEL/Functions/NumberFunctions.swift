/// The library `math`.
enum NumberFunctions {
    static func call(
        _ function: BuiltIn, _ arguments: Arguments
    ) throws(EvaluationFailure) -> CELValue {
        switch (function, arguments.first) {
        case (.ceil, .double(let value)): return .double(value.rounded(.up))
        case (.floor, .double(let value)): return .double(value.rounded(.down))
        case (.round, .double(let value)):
            return .double(value.rounded(.toNearestOrAwayFromZero))
        case (.trunc, .double(let value)): return .double(value.rounded(.towardZero))
        case (.isNaN, .double(let value)): return .bool(value.isNaN)
        case (.isInf, .double(let value)): return .bool(value.isInfinite)
        case (.isFinite, .double(let value)): return .bool(value.isFinite)
        case (.sqrt, let value):
            guard let number = value.number else { throw arguments.mismatch("math.sqrt") }
            return .double(number.squareRoot())
        case (.abs, _): return try absolute(arguments)
        case (.sign, _): return try sign(arguments)
        default: return try bits(function, arguments)
        }
    }

    private static func absolute(_ arguments: Arguments) throws(EvaluationFailure) -> CELValue {
        switch arguments.first {
        case .int(let value):
            guard value != .min else { throw EvaluationFailure("integer overflow") }
            return .int(abs(value))
        case .uint: return arguments.first
        case .double(let value): return .double(value.magnitude)
        default: throw arguments.mismatch("math.abs")
        }
    }

    private static func sign(_ arguments: Arguments) throws(EvaluationFailure) -> CELValue {
        switch arguments.first {
        case .int(let value): .int(value.signum())
        case .uint(let value): .uint(value == 0 ? 0 : 1)
        case .double(let value): .double(value > 0 ? 1 : value < 0 ? -1 : value)
        default: throw arguments.mismatch("math.sign")
        }
    }

    private static func bits(
        _ function: BuiltIn, _ arguments: Arguments
    ) throws(EvaluationFailure) -> CELValue {
        switch (arguments.first, arguments.second) {
        case (.int(let value), _) where function == .bitNot: return .int(~value)
        case (.uint(let value), _) where function == .bitNot: return .uint(~value)
        case (.int(let value), .int(let count))
        where function == .bitShiftLeft || function == .bitShiftRight:
            // Bits move as those of an unsigned integer do: zeros come in on both sides.
            let result = try shifted(UInt64(bitPattern: value), count, function)
            return .int(Int64(bitPattern: result))
        case (.uint(let value), .int(let count)):
            guard function == .bitShiftLeft || function == .bitShiftRight else {
                throw arguments.mismatch("math.\(function)")
            }
            return .uint(try shifted(value, count, function))
        case (.int(let left), .int(let right)):
            let (left, right) = (UInt64(bitPattern: left), UInt64(bitPattern: right))
            guard let result = combined(left, right, function) else { break }
            return .int(Int64(bitPattern: result))
        case (.uint(let left), .uint(let right)):
            guard let result = combined(left, right, function) else { break }
            return .uint(result)
        default: break
        }
        throw arguments.mismatch("math.\(function)")
    }

    private static func combined(
        _ left: UInt64, _ right: UInt64, _ function: BuiltIn
    ) -> UInt64? {
        switch function {
        case .bitAnd: left & right
        case .bitOr: left | right
        case .bitXor: left ^ right
        default: nil
        }
    }

    private static func shifted(
        _ value: UInt64, _ count: Int64, _ function: BuiltIn
    ) throws(EvaluationFailure) -> UInt64 {
        guard count >= 0 else { throw EvaluationFailure("a shift by \(count) bits is negative") }
        // Swift's shifts give 0 from 64 bits on.
        return function == .bitShiftLeft ? value << count : value >> count
    }

    // MARK: Greatest and least

    /// The value, if it is a number.
    static func number(
        _ value: CELValue, _ function: BuiltIn
    ) throws(EvaluationFailure) -> CELValue {
        guard value.number != nil else {
            throw EvaluationFailure(
                "'math.\(function)' needs numbers, and this is \(value.type.name)")
        }
        return value
    }

    /// The greater or lesser of two numbers; the first if they are equal.
    static func better(
        _ best: CELValue, _ other: CELValue, _ function: BuiltIn
    ) throws(EvaluationFailure) -> CELValue {
        let other = try number(other, function)
        let order = other.order(to: best)
        return order == (function == .greatest ? .greater : .less) ? other : best
    }
}
