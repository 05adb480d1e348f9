/// The functions of the language, by the types of their arguments at run time.
enum Functions {
    /// Calls a function, except those that the evaluator knows itself.
    ///
    /// - Throws: ``EvaluationFailure`` if the arguments don't fit, or a bound is reached.
    static func call(
        _ function: BuiltIn, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> CELValue {
        switch function {
        case .size: return .int(Int64(try size(arguments, &budget)))
        case .type: return .type(arguments.first.type)
        case .dyn: return arguments.first
        case .toBool, .toInt, .toUint, .toDouble, .toString, .toBytes, .toTimestamp, .toDuration:
            return try Conversions.call(function, arguments.first, &budget)
        case .contains, .startsWith, .endsWith, .charAt, .indexOf, .lastIndexOf, .join,
            .lowerAscii, .upperAscii, .replace, .reverse, .split, .substring, .trim, .quote:
            return try TextFunctions.call(function, arguments, &budget)
        case .format: return .string(try FormatText.format(arguments, &budget))
        case .fullYear, .month, .date, .dayOfMonth, .dayOfWeek, .dayOfYear, .hours, .minutes,
            .seconds, .milliseconds:
            return try TimeFunctions.call(function, arguments)
        case .base64Encode, .base64Decode:
            return try base64(function, arguments, &budget)
        case .optionalOf: return .optional(arguments.first)
        case .optionalOfNonZeroValue:
            return .optional(arguments.first.isZero ? nil : arguments.first)
        case .optionalNone: return .optional(nil)
        case .hasValue, .value: return try optional(function, arguments)
        case .unwrap: return .list(try unwrapped(arguments, &budget))
        case .first, .last:
            guard case .list(let elements) = arguments.first else {
                throw arguments.mismatch("\(function)")
            }
            return .optional(function == .first ? elements.first : elements.last)
        default: return try NumberFunctions.call(function, arguments)
        }
    }

    private static func size(
        _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> Int {
        switch arguments.first {
        case .string(let text):
            try budget.spend(work: text.utf8.count)
            return text.unicodeScalars.count
        case .bytes(let bytes): return bytes.count
        case .list(let elements): return elements.count
        case .map(let map): return map.count
        default: throw arguments.mismatch("size")
        }
    }

    private static func base64(
        _ function: BuiltIn, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> CELValue {
        switch (function, arguments.first) {
        case (.base64Encode, .bytes(let bytes)):
            try budget.make(text: bytes.count / 3 * 4 + 4)
            return .string(Base64Text.encode(bytes))
        case (.base64Decode, .string(let text)):
            try budget.make(text: text.utf8.count)
            guard let bytes = Base64Text.decode(text) else {
                throw EvaluationFailure("the text isn't base64")
            }
            return .bytes(bytes)
        default: throw arguments.mismatch("\(function)")
        }
    }

    private static func optional(
        _ function: BuiltIn, _ arguments: Arguments
    ) throws(EvaluationFailure) -> CELValue {
        guard case .optional(let wrapped) = arguments.first else {
            throw arguments.mismatch("\(function)")
        }
        if function == .hasValue { return .bool(wrapped != nil) }
        guard let wrapped else { throw EvaluationFailure("optional.none() has no value") }
        return wrapped
    }

    /// The values of a list of optionals, without those that have none.
    private static func unwrapped(
        _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> [CELValue] {
        guard case .list(let elements) = arguments.first else {
            throw arguments.mismatch("unwrapOpt")
        }
        try budget.spend(steps: elements.count)
        try budget.make(elements: elements.count)
        var values: [CELValue] = []
        for element in elements {
            guard case .optional(let value) = element else {
                throw EvaluationFailure(
                    "'unwrapOpt' needs optional values, and one is \(element.type.name)")
            }
            if let value { values.append(value) }
        }
        return values
    }
}
