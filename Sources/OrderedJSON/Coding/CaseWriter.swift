/// Writes the values of an enum case, as members beside its `type`.
struct CaseWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let depth: Int

    var codingPath: [any CodingKey] { state.steps.map { PathKey($0) } }

    private func begun(_ key: Key) throws -> EncodingState {
        try state.beginCaseMember(depth, EnumLabels.name(key))
        return state
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
        state.beginNestedInCase(depth, EnumLabels.name(key))
        return state.nestedKeyed(type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        state.beginNestedInCase(depth, EnumLabels.name(key))
        return state.nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        state.beginNestedInCase(depth, "super")
        return state.nestedEncoder()
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        state.beginNestedInCase(depth, EnumLabels.name(key))
        return state.nestedEncoder()
    }
}
