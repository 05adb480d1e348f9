/// A type of the expression language.
public indirect enum CELType: Hashable, Sendable {
    /// Any type: what is done with it is checked when it is evaluated.
    case dyn
    /// The type of `null`.
    case null
    /// Truth values.
    case bool
    /// Signed integers.
    case int
    /// Unsigned integers.
    case uint
    /// Floating-point numbers.
    case double
    /// Text.
    case string
    /// Bytes.
    case bytes
    /// Points in time.
    case timestamp
    /// Lengths of time.
    case duration
    /// Types as values.
    case type
    /// Lists of one type of element.
    case list(CELType)
    /// Maps with their types of key and value.
    case map(CELType, CELType)
    /// Maps with these members, by name: selecting another one is a type error.
    case object([String: CELType])
    /// Optional values.
    case optional(CELType)
    /// A type that is still to be found, by number: the parameters of a function's signature.
    case variable(Int)

    /// The name of the type as a value, without its parameters: `int`, `list`,
    /// `google.protobuf.Timestamp`.
    public var name: String {
        switch self {
        case .dyn, .variable: "dyn"
        case .null: "null_type"
        case .bool: "bool"
        case .int: "int"
        case .uint: "uint"
        case .double: "double"
        case .string: "string"
        case .bytes: "bytes"
        case .timestamp: "google.protobuf.Timestamp"
        case .duration: "google.protobuf.Duration"
        case .type: "type"
        case .list: "list"
        case .map, .object: "map"
        case .optional: "optional_type"
        }
    }

    /// The types that expressions can name.
    static let named: [CELType] = [
        .null, .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration, .type,
        .list(.dyn), .map(.dyn, .dyn), .optional(.dyn),
    ]

    /// Whether this is `int`, `uint` or `double`.
    var isNumber: Bool { self == .int || self == .uint || self == .double }
}

extension CELType: CustomStringConvertible {
    /// The type with its parameters: `list(int)`, `map(string, dyn)`.
    public var description: String {
        switch self {
        case .list(let element): "list(\(element))"
        case .map(let key, let value): "map(\(key), \(value))"
        case .optional(let value): "optional_type(\(value))"
        default: name
        }
    }
}
