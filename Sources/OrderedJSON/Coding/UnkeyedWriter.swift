/// Writes the elements of an array.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    let state: EncodingState
    let depth: Int

    var codingPath: [any CodingKey] { state.steps }
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
    @inline(__always)
    func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws {
        try begun().write(value)
    }
    // These two have defaults, which the generic function doesn't replace.
    func encode(_ value: Int128) throws { try begun().write(value) }
    func encode(_ value: UInt128) throws { try begun().write(value) }
    func encode<T: Encodable>(_ value: T) throws { try begun().encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        state.beginNested { try state.beginElement(depth) }
        return state.nestedKeyed(type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        state.beginNested { try state.beginElement(depth) }
        return state.nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        state.beginNested { try state.beginElement(depth) }
        return state.nestedEncoder()
    }
}
