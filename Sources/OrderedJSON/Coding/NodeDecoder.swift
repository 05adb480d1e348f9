/// The decoder for one node: small enough to need no allocation. It is its own single value
/// container.
struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let state: DecodingState
    let node: JSONDocument.Node
    /// Whether the type that is decoded is an enum.
    let isEnum: Bool

    var codingPath: [any CodingKey] {
        state.document.steps(to: node)
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if !isEnum { return try state.keyed(at: node) }
        return KeyedDecodingContainer(KeyedNodes(state: state, node: node, form: .enumeration))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try state.unkeyed(at: node)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { state.document.kind(node) == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try state.bool(node) }
    func decode(_ type: String.Type) throws -> String { try state.string(node) }
    func decode(_ type: Double.Type) throws -> Double { try state.double(node) }
    func decode(_ type: Float.Type) throws -> Float { try state.float(node) }
    @inline(__always)
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try state.integer(node)
    }
    // These two have defaults, which the generic function doesn't replace.
    func decode(_ type: Int128.Type) throws -> Int128 { try state.integer(node) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try state.integer(node) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try state.decode(type, at: node) }
}

extension DecodingState {
    /// The members of the object at `node`.
    func keyed<Key: CodingKey>(at node: Node) throws -> KeyedDecodingContainer<Key> {
        guard document.kind(node) == .object else {
            throw mismatch([String: Any].self, expected: "an object", at: node)
        }
        return KeyedDecodingContainer(KeyedNodes(state: self, node: node, form: .object))
    }

    /// The elements of the array at `node`.
    func unkeyed(at node: Node) throws -> UnkeyedNodes {
        guard document.kind(node) == .array else {
            throw mismatch([Any].self, expected: "an array", at: node)
        }
        return UnkeyedNodes(state: self, array: node)
    }
}
