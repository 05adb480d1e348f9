/// Finds the cases of an enum by asking the code that Swift writes to decode it.
///
/// That code asks for the enum's keys, reads the only one as the case, and asks for the values of
/// that case. It gets only values that can be made without the type's own code: zero, the empty
/// text, an empty list, a case without values. Any other value ends the probe with an error; of the
/// values after it only the names are known. Code written by hand is recognized by its answer to
/// two keys instead of one, and isn't asked further.
final class EnumProbe {
    /// The index of the case that is read; `nil` asks for the keys only.
    let choice: Int?
    let depth: Int

    /// The names of the enum's keys, at most ``EnumCase/casesMax``.
    var keyNames: [String] = []
    /// The name of the case.
    var name = ""
    /// The JSON that was asked for; `nil` also after requests for different types.
    private(set) var word: JSONWord?
    /// Whether anything was asked for.
    private(set) var hasSeen = false
    /// The values of the case, in their order.
    private(set) var members: [EnumCase.Member] = []

    init(choice: Int? = nil, depth: Int = 0) {
        self.choice = choice
        self.depth = depth
    }

    /// Ends a probe.
    struct End: Error {}

    /// Records that a value of this type is asked for. Code that tries one type and then another
    /// accepts both, so no type is recorded then.
    func see(_ word: JSONWord?) {
        self.word = !hasSeen || self.word == word ? word : nil
        hasSeen = true
    }

    /// Records the names of all values.
    func record<Key: CodingKey>(valuesOf type: Key.Type) {
        members += (TypeMetadata.emptyCases(type, max: JSONLimits.probedMembersMax) ?? []).map {
            EnumCase.Member(name: EnumLabels.name($0), expected: nil, isOptional: nil)
        }
    }

    /// Records the properties of a value. One that may be absent once may always be.
    func record(_ key: some CodingKey, _ expected: String?, isOptional: Bool) {
        let name = EnumLabels.name(key)
        let index = members.firstIndex { $0.name == name }
        let wasOptional = index.map { members[$0].isOptional == true } ?? false
        let member = EnumCase.Member(
            name: name, expected: expected, isOptional: isOptional || wasOptional)
        if let index {
            members[index] = member
        } else if members.count < JSONLimits.probedMembersMax {
            members.append(member)
        }
    }
}

extension EnumProbe {
    /// The error of Swift's code when an enum has not exactly one key.
    static let wrongKeys = "Invalid number of keys found, expected one."

    /// The cases; `nil` if the type isn't an enum or decodes itself by hand.
    static func cases<T: Decodable>(of type: T.Type) -> [EnumCase]? {
        guard TypeMetadata.isEnum(type) else { return nil }
        let scout = EnumProbe()
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

    private static func values<T: Decodable>(of type: T.Type, choice: Int) -> EnumCase {
        let probe = EnumProbe(choice: choice)
        // The error says nothing that the probe hasn't recorded.
        _ = try? T(from: ProbeDecoder(probe: probe))
        return EnumCase(name: probe.name, members: probe.members)
    }

    /// The cases of an enum without values that is decoded from a string: the strings that its
    /// cases are written as.
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
            // A case that can't be written has no name.
            (try? JSONCoding.encode(value, into: &writer)) != nil,
            let document = try? JSONDocument(parsing: writer.bytes)
        else { return nil }
        return document.string(document.root)
    }

    /// The JSON that a value of the type is written as.
    static func word<T: Decodable>(for type: T.Type, depth: Int) -> String? {
        if let word = JSONWord(type) { return word.text }
        guard depth < JSONLimits.probeDepthMax else { return nil }
        let probe = EnumProbe(depth: depth + 1)
        let isSwifts = isSwifts(type, probe)
        guard TypeMetadata.isEnum(type) else { return probe.word?.text }
        // Its values aren't probed: an enum may contain itself.
        guard TypeMetadata.emptyCaseCount(type) != nil else {
            return isSwifts ? "a string, or an object with a type" : probe.word?.text
        }
        if isSwifts { return EnumCase.choice(probe.keyNames) }
        guard probe.word == .string else { return probe.word?.text }
        return named(type).map { EnumCase.choice($0.map(\.name)) }
    }

    /// Whether Swift has written the code that decodes the enum.
    static func isSwifts<T: Decodable>(_ type: T.Type) -> Bool {
        TypeMetadata.isEnum(type) && isSwifts(type, EnumProbe())
    }

    private static func isSwifts<T: Decodable>(_ type: T.Type, _ probe: EnumProbe) -> Bool {
        do {
            _ = try T(from: ProbeDecoder(probe: probe))
            return false
        } catch DecodingError.typeMismatch(_, let context) {
            return context.debugDescription == wrongKeys
        } catch {
            return false
        }
    }

    /// A value of the type that can be made without the type's own code; `nil` if there is none.
    static func value<T>(_ type: T.Type) -> T? {
        switch type {
        case let type as any FixedWidthInteger.Type: type.zero as? T
        case let type as any EmptyMade.Type: type.empty as? T
        case is Bool.Type: false as? T
        case is String.Type: "" as? T
        case is Double.Type: 0.0 as? T
        case is Float.Type: (0 as Float) as? T
        default: TypeMetadata.emptyCase(type, 0)
        }
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
