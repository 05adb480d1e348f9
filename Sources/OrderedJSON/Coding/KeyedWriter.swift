/// Writes the members of an object, or the values of an enum case as members beside its `type`.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let depth: Int
    /// Whether the members are the values of an enum case.
    var isCase = false

    var codingPath: [any CodingKey] { state.steps }

    private func begun(_ key: Key) throws -> EncodingState {
        if isCase {
            try state.beginCaseMember(depth, EnumLabels.name(key))
        } else {
            try state.beginMember(depth, key.stringValue)
        }
        return state
    }

    func encodeNil(forKey key: Key) throws { try begun(key).writer.null() }
    func encode(_ value: Bool, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: String, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Double, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begun(key).write(value) }
    @inline(__always)
    func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) throws {
        try begun(key).write(value)
    }
    // These two have defaults, which the generic function doesn't replace.
    func encode(_ value: Int128, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try begun(key).write(value) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try begun(key).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        if !isCase, state.beginCase(depth, key.stringValue) {
            return KeyedEncodingContainer(
                KeyedWriter<Nested>(state: state, depth: depth, isCase: true))
        }
        state.beginNested { _ = try begun(key) }
        return state.nestedKeyed(type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        state.beginNested { _ = try begun(key) }
        return state.nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        state.beginNested {
            let begin = isCase ? state.beginCaseMember : state.beginMember
            try begin(depth, "super")
        }
        return state.nestedEncoder()
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        state.beginNested { _ = try begun(key) }
        return state.nestedEncoder()
    }
}
