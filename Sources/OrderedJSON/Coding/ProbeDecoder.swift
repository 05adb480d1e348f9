/// What a probe has seen.
final class Probe {
    /// How deep one type may be handed on to another one.
    static let depthMax = 8
    /// Values of a case that are noted.
    static let membersMax = 64

    /// The case that is read, by its place; `nil` asks for the keys only.
    let choice: Int?
    let depth: Int

    /// The keys of the enum by their names, at most ``EnumCase/casesMax``.
    var keyNames: [String] = []
    /// The name of the case.
    var name = ""
    /// What was asked for; `nil` also when that was one type and then another one.
    private(set) var word: JSONWord?
    /// Whether it was asked for anything.
    private(set) var hasSeen = false
    /// The values that the case has, in their order.
    private(set) var members: [EnumCase.Member] = []

    init(choice: Int?, depth: Int = 0) {
        self.choice = choice
        self.depth = depth
    }

    /// Ends a probe.
    struct End: Error {}

    /// Notes that a value of this type is asked for. Code that tries one type and then another
    /// one takes both, so nothing is said of it.
    func see(_ word: JSONWord?) {
        self.word = !hasSeen || self.word == word ? word : nil
        hasSeen = true
    }

    /// Notes all values by their names.
    func note<Key: CodingKey>(valuesOf type: Key.Type) {
        for key in TypeMetadata.emptyCases(type, max: Self.membersMax) ?? [] {
            members.append(
                EnumCase.Member(name: EnumLabels.name(key), expected: nil, isOptional: nil))
        }
    }

    /// Notes what is known of a value.
    func note(_ key: some CodingKey, _ expected: String?, isOptional: Bool) {
        let name = EnumLabels.name(key)
        let member = EnumCase.Member(name: name, expected: expected, isOptional: isOptional)
        if let place = members.firstIndex(where: { $0.name == name }) {
            members[place] = member
        } else if members.count < Self.membersMax {
            members.append(member)
        }
    }
}

/// Stands for JSON that nobody wrote: notes what it is asked for, and gives next to nothing.
struct ProbeDecoder: Decoder {
    let probe: Probe

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        probe.see(.object)
        guard let keys = TypeMetadata.emptyCases(type, max: EnumCase.casesMax), !keys.isEmpty else {
            throw Probe.End()
        }
        probe.keyNames = keys.map(\.stringValue)
        var shown = [keys[0], keys[0]]
        if let choice = probe.choice {
            guard keys.indices.contains(choice) else { throw Probe.End() }
            shown = [keys[choice]]
            probe.name = keys[choice].stringValue
        }
        return KeyedDecodingContainer(ProbeKeys(probe: probe, allKeys: shown, isCase: true))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        probe.see(.array)
        throw Probe.End()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ProbeValue(probe: probe)
    }
}

/// The keys of an enum, or the values of a case.
private struct ProbeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    let allKeys: [Key]
    /// Whether the keys are cases, which have values and are none.
    let isCase: Bool

    var codingPath: [any CodingKey] { [] }

    func contains(_ key: Key) -> Bool { !isCase }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard !isCase else { throw Probe.End() }
        probe.note(key, nil, isOptional: true)
        return true
    }

    private func give<T>(_ type: T.Type, _ key: Key, _ value: T) throws -> T {
        guard !isCase else { throw Probe.End() }
        probe.note(key, JSONWord(type)?.text, isOptional: false)
        return value
    }

    private func giveNone<T>(_ type: T.Type, _ key: Key) throws -> T? {
        guard !isCase else { throw Probe.End() }
        probe.note(key, JSONWord(type)?.text, isOptional: true)
        return nil
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try give(type, key, false) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try give(type, key, "") }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try give(type, key, 0) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try give(type, key, 0) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try give(type, key, 0) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try give(type, key, 0) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try give(type, key, 0) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try give(type, key, 0) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try give(type, key, 0) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try give(type, key, 0) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try give(type, key, 0) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try give(type, key, 0) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try give(type, key, 0) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try give(type, key, 0) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try give(type, key, 0) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try give(type, key, 0) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard !isCase else { throw Probe.End() }
        probe.note(key, EnumProbe.word(for: type, depth: probe.depth), isOptional: false)
        guard let value = EnumProbe.value(type) else { throw Probe.End() }
        return value
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try giveNone(type, key)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try giveNone(type, key)
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard !isCase else { throw Probe.End() }
        probe.note(key, EnumProbe.word(for: type, depth: probe.depth), isOptional: true)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        // Without a choice it is asked how many keys there may be, and not for values.
        guard isCase, probe.choice != nil else { throw Probe.End() }
        probe.note(valuesOf: type)
        return KeyedDecodingContainer(
            ProbeKeys<Nested>(probe: probe, allKeys: [], isCase: false))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw Probe.End()
    }

    func superDecoder() throws -> any Decoder { throw Probe.End() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw Probe.End() }
}

/// A single value, of which only the type is noted.
private struct ProbeValue: SingleValueDecodingContainer {
    let probe: Probe

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    private func end<T>(_ type: T.Type) throws -> T {
        if let word = JSONWord(type) { probe.see(word) }
        throw Probe.End()
    }

    func decode(_ type: Bool.Type) throws -> Bool { try end(type) }
    func decode(_ type: String.Type) throws -> String { try end(type) }
    func decode(_ type: Double.Type) throws -> Double { try end(type) }
    func decode(_ type: Float.Type) throws -> Float { try end(type) }
    func decode(_ type: Int.Type) throws -> Int { try end(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try end(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try end(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try end(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try end(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try end(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try end(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try end(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try end(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try end(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try end(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try end(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let word = JSONWord(type) {
            probe.see(word)
            throw Probe.End()
        }
        // A second one isn't looked into: a type that tries many takes no longer than one.
        guard !probe.hasSeen, probe.depth < Probe.depthMax else {
            probe.see(nil)
            throw Probe.End()
        }
        let inner = Probe(choice: nil, depth: probe.depth + 1)
        // How the probe ends says nothing that it hasn't noted.
        _ = try? T(from: ProbeDecoder(probe: inner))
        probe.see(inner.word)
        throw Probe.End()
    }
}
