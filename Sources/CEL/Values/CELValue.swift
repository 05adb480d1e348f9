/// A value of the expression language.
///
/// Numbers, bools, times and short strings are stored inline: copying them allocates nothing.
public enum CELValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A signed integer of 64 bits.
    case int(Int64)
    /// An unsigned integer of 64 bits.
    case uint(UInt64)
    /// A floating-point number of 64 bits, also infinite or "not a number".
    case double(Double)
    /// A sequence of Unicode code points; compared by code point, not by canonical equivalence.
    case string(String)
    /// A sequence of bytes.
    case bytes([UInt8])
    /// A list of any values.
    case list([CELValue])
    /// A map in the order of its entries.
    case map(CELMap)
    /// A point in time.
    case timestamp(CELTimestamp)
    /// A length of time.
    case duration(CELDuration)
    /// A type as a value, such as `int`; its parameters don't count.
    case type(CELType)
    /// An optional value; nil is `optional.none()`.
    indirect case optional(CELValue?)
}

extension CELValue {
    /// The type at run time; the elements of lists and maps are `dyn`.
    public var type: CELType {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .list: .list(.dyn)
        case .map: .map(.dyn, .dyn)
        case .timestamp: .timestamp
        case .duration: .duration
        case .type: .type
        case .optional: .optional(.dyn)
        }
    }

    /// Whether this is the zero of its type: `0`, `false`, empty text, an empty list or map,
    /// `null`, `optional.none()`, the start of 1970, no time.
    var isZero: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .int(let value): value == 0
        case .uint(let value): value == 0
        case .double(let value): value == 0
        case .string(let value): value.isEmpty
        case .bytes(let value): value.isEmpty
        case .list(let value): value.isEmpty
        case .map(let value): value.isEmpty
        case .timestamp(let value): value == CELTimestamp.epoch
        case .duration(let value): value.nanoseconds == 0
        case .type: false
        case .optional(let value): value == nil
        }
    }
}

// Not by nil: beside an optional value, `nil` would be `null` unnoticed.
extension CELValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `true` and `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An `int`.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// A `double`.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A `string`.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A `list`.
    public init(arrayLiteral elements: CELValue...) { self = .list(elements) }

    /// A `map` with strings as keys; a repeated key has its last value, at its first position.
    public init(dictionaryLiteral elements: (String, CELValue)...) {
        var map = CELMap()
        for (name, value) in elements { map[CELKey(name)] = value }
        self = .map(map)
    }
}
