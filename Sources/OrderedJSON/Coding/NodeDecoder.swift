/// The decoder for one node: small enough to need no allocation. It is its own single value
/// container.
struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let state: DecodingState
    let node: JSONDocument.Node
    /// How a keyed container reads the node: as an `enumeration` for an enum.
    let form: KeyedForm

    var codingPath: [any CodingKey] {
        state.document.steps(to: node)
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch form {
        case .object: return try state.keyed(at: node)
        case .values:
            return KeyedDecodingContainer(KeyedNodes(state: state, node: node, form: form))
        case .enumeration: return try state.enumeration(at: node)
        }
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

    /// The case of the enum at `node`, or the members of a plain object. The keys of the code that
    /// Swift writes are cases without values; other keys are names of members.
    func enumeration<Key: CodingKey>(at node: Node) throws -> KeyedDecodingContainer<Key> {
        guard TypeMetadata.hasEmptyCases(Key.self) else {
            if let tag = document.member("type", of: node), document.kind(tag) == .string {
                setPlain(node)
            }
            return try keyed(at: node)
        }
        let choice = caseIndex(Key.self, at: node)
        if choice < 0, document.kind(node) != .object { throw noCase(at: node) }
        return KeyedDecodingContainer(
            KeyedNodes(state: self, node: node, form: .enumeration, choice: choice))
    }

    /// The case that the node names, as an index of the keys; -1 if it names none of them.
    private func caseIndex<Key: CodingKey>(_ type: Key.Type, at node: Node) -> Int {
        let tag = document.kind(node) == .string ? node : document.member("type", of: node)
        guard let tag, let name = document.string(tag), let key = Key(stringValue: name) else {
            return -1
        }
        if let notes { notes.read.insert(tag) }
        return TypeMetadata.index(ofEmptyCase: key)
    }

    /// The elements of the array at `node`.
    func unkeyed(at node: Node) throws -> UnkeyedNodes {
        guard document.kind(node) == .array else {
            throw mismatch([Any].self, expected: "an array", at: node)
        }
        return UnkeyedNodes(state: self, array: node)
    }
}
