/// Writes the members of an object, or the values of an enum case as members beside its `type`.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let depth: Int
    /// Whether the members are the values of an enum case.
    var isCase = false

    var codingPath: [any CodingKey] { state.steps.map { PathKey($0) } }

    private func begun(_ key: Key) throws -> EncodingState {
        if isCase {
            try state.beginCaseMember(depth, EnumLabels.name(key))
        } else {
            try state.beginMember(depth, key.stringValue)
        }
        return state
    }

    private func beginNested(_ key: Key) {
        beginNested(isCase ? EnumLabels.name(key) : key.stringValue)
    }

    private func beginNested(_ name: String) {
        if isCase { state.beginNestedInCase(depth, name) } else { state.beginNested(depth, name) }
    }

    func encodeNil(forKey key: Key) throws { try begun(key).writer.null() }
    func encode(_ value: Bool, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: String, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Double, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int8, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int16, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int32, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int64, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: Int128, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try begun(key).write(value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try begun(key).write(value) }
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
        beginNested(key)
        return state.nestedKeyed(type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        beginNested(key)
        return state.nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        beginNested("super")
        return state.nestedEncoder()
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        beginNested(key)
        return state.nestedEncoder()
    }
}
