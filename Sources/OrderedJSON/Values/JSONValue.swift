/// Any JSON value, with the members of objects in their order.
///
/// Reading and writing don't recurse, but comparing, hashing and freeing do, as deeply as the
/// value is nested: use limits like ``JSONLimits/standard`` for texts from outside.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent. The reader returns it only for numbers within
    /// ±(2^53 − 1); a larger one is written in full and read back as a double.
    case integer(Int64)
    /// Any other number; JSON has no infinity and no "not a number".
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// Parses a text that is one value.
    ///
    /// - Throws: ``JSONError`` with the offset of the first fault.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        let document = try JSONDocument(parsing: bytes, limits: limits)
        self = document.value(document.root)
    }

    /// The value as JSON text in UTF-8 without white space, always the same bytes for the same
    /// value.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value; nil if this is no bool.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer; nil if this isn't ``integer(_:)``.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, an integer as the nearest double; nil if this is no number.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// The string; nil if this is none.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil if this is no array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object; nil if this is none.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The value of the member `name`; nil if there is none or this is no object.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at `index`, counted from 0; nil if there is none or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }
}

extension JSONValue: Hashable {
    /// Whether both are of one kind and the same value: strings byte by byte, objects member by
    /// member in order; an integer never equals a double.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Adds kind and value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(utf8Of: value)
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `nil` is `null`.
    public init(nilLiteral: ()) { self = .null }

    /// `true` and `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A double, even without a fraction, such as `5.0`.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object; see ``JSONObject/init(dictionaryLiteral:)`` for repeated names.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text.
    public var description: String { String(decoding: serialized(), as: UTF8.self) }
}
