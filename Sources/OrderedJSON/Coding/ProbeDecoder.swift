/// Stands for JSON that doesn't exist: records the values that it is asked for, and returns only
/// empty ones. It is its own single value container.
struct ProbeDecoder: Decoder, SingleValueDecodingContainer {
    let probe: EnumProbe

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        probe.see(.object)
        guard let keys = TypeMetadata.emptyCases(type, max: EnumCase.casesMax), !keys.isEmpty else {
            throw EnumProbe.End()
        }
        probe.keyNames = keys.map(\.stringValue)
        var shown = [keys[0], keys[0]]
        if let choice = probe.choice {
            guard keys.indices.contains(choice) else { throw EnumProbe.End() }
            shown = [keys[choice]]
            probe.name = keys[choice].stringValue
        }
        return KeyedDecodingContainer(ProbeKeys(probe: probe, allKeys: shown, isCase: true))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        probe.see(.array)
        throw EnumProbe.End()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    // The standard library has defaults for these two, which the generic function doesn't replace.
    func decode(_ type: Int128.Type) throws -> Int128 { try end(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try end(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try end(type) }

    private func end<T: Decodable>(_ type: T.Type) throws -> T {
        if let word = JSONWord(type) {
            probe.see(word)
            throw EnumProbe.End()
        }
        // A second type isn't probed: a type that tries many must not cost more than one.
        guard !probe.hasSeen, probe.depth < JSONLimits.probeDepthMax else {
            probe.see(nil)
            throw EnumProbe.End()
        }
        let inner = EnumProbe(depth: probe.depth + 1)
        // The error says nothing that the probe hasn't recorded.
        _ = try? T(from: ProbeDecoder(probe: inner))
        probe.see(inner.word)
        throw EnumProbe.End()
    }
}

/// The keys of an enum, or the values of a case.
private struct ProbeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: EnumProbe
    let allKeys: [Key]
    /// Whether the keys are cases, which have values and are none.
    let isCase: Bool

    var codingPath: [any CodingKey] { [] }

    func contains(_ key: Key) -> Bool { !isCase }

    /// Records that the value may be absent. The answer is `false`, so that its type is asked for
    /// next.
    func decodeNil(forKey key: Key) throws -> Bool {
        guard !isCase else { throw EnumProbe.End() }
        probe.record(key, nil, isOptional: true)
        return false
    }

    // The standard library has defaults for these two, which the generic function doesn't replace.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(type, key) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(type, key) }

    private func value<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        guard !isCase else { throw EnumProbe.End() }
        probe.record(key, EnumProbe.word(for: type, depth: probe.depth), isOptional: false)
        guard let value = EnumProbe.value(type) else { throw EnumProbe.End() }
        return value
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard !isCase else { throw EnumProbe.End() }
        probe.record(key, EnumProbe.word(for: type, depth: probe.depth), isOptional: true)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        // Without a choice, only the number of keys is probed.
        guard isCase, probe.choice != nil else { throw EnumProbe.End() }
        probe.record(valuesOf: type)
        return KeyedDecodingContainer(
            ProbeKeys<Nested>(probe: probe, allKeys: [], isCase: false))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw EnumProbe.End()
    }

    func superDecoder() throws -> any Decoder { throw EnumProbe.End() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw EnumProbe.End() }
}
