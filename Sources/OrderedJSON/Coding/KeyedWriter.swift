/// Writes the members of an object, or the values of an enum case as members beside its `type`.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let depth: Int
    /// Whether the members are the values of an enum case.
    var isCase = false

    var codingPath: [any CodingKey] { state.steps }

    private func begun(_ key: Key) throws -> EncodingState {
        guard isCase else {
            try state.beginMember(depth, key.stringValue)
            return state
        }
        if let plain = state.formerCase(depth) {
            try plain.beginMember(0, key.stringValue)
            return plain
        }
        let name = EnumLabels.name(key)
        try state.beginCaseMember(depth, name)
        if name == EnumLabels.value, key.stringValue != name { state.top.isRenamed = true }
        return state
    }

    /// Begins a member for a nested container, and returns the state to nest it in.
    private func nesting(_ key: Key) -> EncodingState {
        var target = state
        state.beginNested { target = try begun(key) }
        return target
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
        return nesting(key).nestedKeyed(type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nesting(key).nestedUnkeyed()
    }

    func superEncoder() -> any Encoder {
        var target = state
        state.beginNested {
            if !isCase {
                try state.beginMember(depth, "super")
            } else if let plain = state.formerCase(depth) {
                target = plain
                try plain.beginMember(0, "super")
            } else {
                try state.beginCaseMember(depth, "super")
            }
        }
        return target.nestedEncoder()
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        nesting(key).nestedEncoder()
    }
}
