/// The JSON that a type is written as, in a word or two.
enum JSONWord: Equatable {
    case string
    case bool
    case number
    case integer(any FixedWidthInteger.Type)
    case array
    case object

    /// The word of a type that JSON has; `nil` for any other one.
    init?(_ type: any Any.Type) {
        switch type {
        case let type as any FixedWidthInteger.Type: self = .integer(type)
        case is Bool.Type: self = .bool
        case is String.Type: self = .string
        case is Double.Type, is Float.Type: self = .number
        default: return nil
        }
    }

    /// The words; of an integer with its range where that is narrower than JSON's.
    var text: String {
        switch self {
        case .string: "a string"
        case .bool: "true or false"
        case .number: "a number"
        case .integer(let type): Self.word(type)
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The words; of an integer always with its range.
    var exactText: String {
        if case .integer(let type) = self { Self.range(type) } else { text }
    }

    /// The integers of this type that JSON carries exactly.
    static func range<T: FixedWidthInteger>(_ type: T.Type) -> String {
        let low = T.isSigned ? max(Int64(clamping: T.min), -JSONLimits.integerMax) : 0
        let high = min(Int64(clamping: T.max), JSONLimits.integerMax)
        return "an integer from \(low) to \(high)"
    }

    private static func word<T: FixedWidthInteger>(_ type: T.Type) -> String {
        if Int64(clamping: T.max) < JSONLimits.integerMax { return range(type) }
        return T.isSigned ? "an integer" : "an integer from 0"
    }

    static func == (one: JSONWord, other: JSONWord) -> Bool { one.text == other.text }
}
