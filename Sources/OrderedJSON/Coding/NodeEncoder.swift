/// The encoder for one value: small enough to need no allocation. It is its own single value
/// container.
struct NodeEncoder: Encoder, SingleValueEncodingContainer {
    let state: EncodingState
    /// The number of open values around the one to write.
    let depth: Int

    var codingPath: [any CodingKey] { state.steps }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        state.openKeyed(depth, type)
        return KeyedEncodingContainer(KeyedWriter(state: state, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        state.openUnkeyed(depth)
        return UnkeyedWriter(state: state, depth: depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func begun() throws -> EncodingState {
        try state.beginScalar(depth)
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
}

extension EncodingState {
    /// An object with a separate buffer, to be inserted here.
    func nestedKeyed<Key: CodingKey>(_ type: Key.Type) -> KeyedEncodingContainer<Key> {
        let child = child()
        child.openKeyed(0, type)
        return KeyedEncodingContainer(KeyedWriter(state: child, depth: 0))
    }

    /// An array with a separate buffer, to be inserted here.
    func nestedUnkeyed() -> UnkeyedWriter {
        let child = child()
        child.openUnkeyed(0)
        return UnkeyedWriter(state: child, depth: 0)
    }

    /// An encoder with a separate buffer, to be inserted here.
    func nestedEncoder() -> NodeEncoder { NodeEncoder(state: child(), depth: 0) }
}
