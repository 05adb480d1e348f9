/// The functions `bool`, `int`, `uint`, `double`, `string`, `bytes`, `timestamp`, `duration`.
enum Conversions {
    static func call(
        _ function: BuiltIn, _ value: CELValue, _ budget: inout Budget
    ) throws(EvaluationFailure) -> CELValue {
        if case .string(let text) = value { try budget.spend(work: text.utf8.count) }
        let result: CELValue?
        switch function {
        case .toBool: result = bool(value)
        case .toInt: result = int(value).map(CELValue.int)
        case .toUint: result = uint(value).map(CELValue.uint)
        case .toDouble: result = double(value).map(CELValue.double)
        case .toString:
            if case .bytes(let bytes) = value { try budget.make(text: bytes.count) }
            result = string(value).map(CELValue.string)
        case .toBytes:
            if case .string(let text) = value { try budget.make(text: text.utf8.count) }
            result = bytes(value).map(CELValue.bytes)
        case .toTimestamp: result = timestamp(value).map(CELValue.timestamp)
        default: result = duration(value).map(CELValue.duration)
        }
        guard let result else {
            let name = "\(function)".dropFirst(2).lowercased()
            throw EvaluationFailure("\(shown(value)) can't be converted to \(name)")
        }
        return result
    }

    private static func shown(_ value: CELValue) -> String {
        switch value {
        case .string(let text): "'\(String(text.unicodeScalars.prefix(50)))'"
        case .double(let value): "the double \(NumberText.short(value))"
        case .int(let value): "the int \(value)"
        case .uint(let value): "the uint \(value)"
        default: "\(value.type.name)"
        }
    }

    private static func bool(_ value: CELValue) -> CELValue? {
        switch value {
        case .bool: return value
        case .string(let text):
            if ["1", "t", "T", "true", "TRUE", "True"].contains(text) { return true }
            if ["0", "f", "F", "false", "FALSE", "False"].contains(text) { return false }
            return nil
        default: return nil
        }
    }

    private static func int(_ value: CELValue) -> Int64? {
        switch value {
        case .int(let value): value
        case .uint(let value): Int64(exactly: value)
        // Both ends excluded: 2^63 as a double may stand for an integer above it.
        case .double(let value):
            value > -0x1p63 && value < 0x1p63 ? Int64(value) : nil
        case .string(let text): Int64(text)
        case .timestamp(let value): value.seconds
        case .duration(let value): value.nanoseconds / 1_000_000_000
        default: nil
        }
    }

    private static func uint(_ value: CELValue) -> UInt64? {
        switch value {
        case .uint(let value): value
        case .int(let value): UInt64(exactly: value)
        case .double(let value): value >= 0 && value < 0x1p64 ? UInt64(value) : nil
        case .string(let text): text.utf8.first?.isDigit == true ? UInt64(text) : nil
        default: nil
        }
    }

    private static func double(_ value: CELValue) -> Double? {
        guard case .string(let text) = value else { return value.number }
        return DoubleText.value(text)
    }

    private static func string(_ value: CELValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .double(let value): NumberText.short(value)
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .timestamp(let value): value.description
        case .duration(let value): value.description
        default: nil
        }
    }

    private static func bytes(_ value: CELValue) -> [UInt8]? {
        switch value {
        case .bytes(let bytes): bytes
        case .string(let text): Array(text.utf8)
        default: nil
        }
    }

    private static func timestamp(_ value: CELValue) -> CELTimestamp? {
        switch value {
        case .timestamp(let value): value
        case .int(let seconds): CELTimestamp(seconds: seconds)
        case .string(let text): CELTimestamp(text)
        default: nil
        }
    }

    private static func duration(_ value: CELValue) -> CELDuration? {
        switch value {
        case .duration(let value): value
        case .string(let text): CELDuration(text)
        default: nil
        }
    }
}
