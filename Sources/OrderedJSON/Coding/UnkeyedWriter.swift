/// Writes the elements of an array.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    let state: EncodingState
    let depth: Int

    var codingPath: [any CodingKey] { state.steps.map { PathKey($0) } }
    var count: Int { state.level(depth).count }

    private func begun() throws -> EncodingState {
        try state.beginElement(depth)
        return state
    }

    func encodeNil() throws { try begun().writer.null() }
    func encode(_ value: Bool) throws { try begun().write(value) }
    func encode(_ value: String) throws { try begun().write(value) }
    func encode(_ value: Double) throws { try begun().write(value) }
    func encode(_ value: Float) throws { try begun().write(value) }
    func encode(_ value: Int) throws { try begun().write(value) }
    func encode(_ value: Int8) throws { try begun().write(value) }
    func encode(_ value: Int16) throws { try begun().write(value) }
    func encode(_ value: Int32) throws { try begun().write(value) }
    func encode(_ value: Int64) throws { try begun().write(value) }
    func encode(_ value: Int128) throws { try begun().write(value) }
    func encode(_ value: UInt) throws { try begun().write(value) }
    func encode(_ value: UInt8) throws { try begun().write(value) }
    func encode(_ value: UInt16) throws { try begun().write(value) }
    func encode(_ value: UInt32) throws { try begun().write(value) }
    func encode(_ value: UInt64) throws { try begun().write(value) }
    func encode(_ value: UInt128) throws { try begun().write(value) }
    func encode<T: Encodable>(_ value: T) throws { try begun().encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        state.beginNestedElement(depth)
        return state.nestedKeyed(type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        state.beginNestedElement(depth)
        return state.nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        state.beginNestedElement(depth)
        return state.nestedEncoder()
    }
}
