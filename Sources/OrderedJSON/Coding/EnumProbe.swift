/// Finds the cases of an enum by asking the code that Swift writes to read it.
///
/// That code asks for the enum's keys, takes the only one, and asks for the values of its case. It
/// gets no value but those that can be made without anybody's code: zero, the empty text, an empty
/// list, a case without values. Where it wants another one, an error ends the probe; what comes
/// behind is known by name only. Code that was written by hand is told from Swift's by what it
/// says to two keys instead of one, and isn't asked further.
enum EnumProbe {
    /// What Swift's code says when an enum has not exactly one key.
    private static let wrongKeys = "Invalid number of keys found, expected one."

    /// The cases; `nil` where the type isn't an enum, or reads itself in a way of its own.
    static func cases<T: Decodable>(of type: T.Type) -> [EnumCase]? {
        guard TypeMetadata.isEnum(type) else { return nil }
        let scout = Probe(choice: nil)
        do {
            _ = try T(from: ProbeDecoder(probe: scout))
            return nil
        } catch DecodingError.typeMismatch(_, let context)
            where context.debugDescription == wrongKeys
        {
            return scout.keyNames.indices.map { values(of: type, choice: $0) }
        } catch {
            return scout.word == .string ? named(type) : nil
        }
    }

    /// One case with its values.
    private static func values<T: Decodable>(of type: T.Type, choice: Int) -> EnumCase {
        let probe = Probe(choice: choice)
        // How the probe ends says nothing that it hasn't noted.
        _ = try? T(from: ProbeDecoder(probe: probe))
        return EnumCase(name: probe.name, members: probe.members)
    }

    /// The cases of an enum without values that is read from a text: those that it is written as.
    private static func named<T>(_ type: T.Type) -> [EnumCase]? {
        guard let writable = type as? any Encodable.Type,
            let count = TypeMetadata.emptyCaseCount(type)
        else { return nil }
        return (0..<min(count, EnumCase.casesMax)).compactMap { index in
            name(of: writable, index).map { EnumCase(name: $0, members: []) }
        }
    }

    private static func name<T: Encodable>(of type: T.Type, _ index: Int) -> String? {
        var writer = JSONWriter()
        guard let value = TypeMetadata.emptyCase(type, index),
            // What can't be written has no name.
            (try? JSONCoding.encode(value, into: &writer)) != nil,
            let document = try? JSONDocument(parsing: writer.bytes)
        else { return nil }
        return document.string(document.root)
    }

    /// What a value of the type is written as.
    static func word<T: Decodable>(for type: T.Type, depth: Int) -> String? {
        if let word = JSONWord(type) { return word.text }
        guard depth < Probe.depthMax else { return nil }
        let probe = Probe(choice: nil, depth: depth + 1)
        let isSwifts: Bool
        do {
            _ = try T(from: ProbeDecoder(probe: probe))
            isSwifts = false
        } catch DecodingError.typeMismatch(_, let context) {
            isSwifts = context.debugDescription == wrongKeys
        } catch {
            isSwifts = false
        }
        guard TypeMetadata.isEnum(type) else { return probe.word?.text }
        // Its values aren't looked into: an enum may hold itself.
        guard TypeMetadata.emptyCaseCount(type) != nil else {
            return isSwifts ? "a string, or an object with a type" : probe.word?.text
        }
        if isSwifts { return EnumCase.choice(probe.keyNames) }
        guard probe.word == .string else { return probe.word?.text }
        return named(type).map { EnumCase.choice($0.map(\.name)) }
    }

    /// A value of the type that needs nobody's code to be made; `nil` where there is none.
    static func value<T>(_ type: T.Type) -> T? {
        if let empty = type as? any EmptyMade.Type { return empty.empty as? T }
        return TypeMetadata.emptyCaseCount(type) == nil ? nil : TypeMetadata.emptyCase(type, 0)
    }
}

/// A case of an enum, as JSON shows it.
public struct EnumCase: Sendable, Hashable {
    /// A value of a case.
    public struct Member: Sendable, Hashable {
        /// The member's name.
        public let name: String
        /// What it takes, such as `an integer`; `nil` where that isn't known.
        public let expected: String?
        /// Whether it may be absent; `nil` where that isn't known.
        public let isOptional: Bool?
    }

    /// Cases that are looked at; what an enum has beyond them is left out.
    public static let casesMax = 256

    /// The case's name on the wire.
    public let name: String
    /// Its values, in their order.
    public let members: [Member]

    /// Whether a value has the label `type`, which is refused in both directions.
    public var hasTypeLabel: Bool { members.contains { $0.name == EnumLabels.type } }

    /// `one of a, b, c`, cut where it gets too long.
    public static func choice(_ words: [String]) -> String {
        var text = "one of "
        for (index, word) in words.enumerated() {
            guard text.utf8.count + word.utf8.count < choiceBytesMax else {
                return text + "…"
            }
            text += index + 1 < words.count ? word + ", " : word
        }
        return text
    }

    private static let choiceBytesMax = 600
}

extension JSONCoding {
    /// The cases of an enum as they stand in JSON; `nil` for a type that isn't an enum and for one
    /// that reads itself in a way of its own. Takes some microseconds for each case, and runs none
    /// of the type's own code but Swift's.
    public static func cases<T: Decodable>(of type: T.Type) -> [EnumCase]? {
        EnumProbe.cases(of: type)
    }
}

/// Types that have an empty value.
private protocol EmptyMade {
    static var empty: Self { get }
}

extension Array: EmptyMade {
    fileprivate static var empty: Self { [] }
}

extension Set: EmptyMade {
    fileprivate static var empty: Self { [] }
}

extension Dictionary: EmptyMade {
    fileprivate static var empty: Self { [:] }
}

extension Optional: EmptyMade {
    fileprivate static var empty: Self { nil }
}

/// What a type is written as, in a word or two.
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

    /// The range is said where it is narrower than that of JSON.
    private static func word<T: FixedWidthInteger>(_ type: T.Type) -> String {
        if Int64(clamping: T.max) < DecimalText.integerMax { return Expectation.integer(type) }
        return T.isSigned ? "an integer" : "an integer from 0"
    }

    static func == (one: JSONWord, other: JSONWord) -> Bool { one.text == other.text }
}
