/// The elements of an array, taken one after the other.
struct UnkeyedNodes: UnkeyedDecodingContainer {
    typealias Node = JSONDocument.Node

    let state: DecodingState
    let array: Node
    private var following: Node
    private var taken: UInt32 = 0

    init(state: DecodingState, array: Node) {
        self.state = state
        self.array = array
        following = Node(Int(array.index) + 1)
    }

    var codingPath: [any CodingKey] {
        state.document.steps(to: array).map { PathKey($0) }
    }

    var count: Int? { state.document.count(array) }
    var currentIndex: Int { Int(taken) }
    var isAtEnd: Bool { Int(taken) == state.document.count(array) }

    private func peek(_ type: any Any.Type) throws -> Node {
        if isAtEnd { throw state.exhausted(array, type) }
        return following
    }

    /// Moves past the element at `node`, after it was decoded: one that fails stays the next.
    private mutating func move(past node: Node) {
        following = state.document.nodeAfter(node)
        taken += 1
    }

    private mutating func take<T>(
        _ body: (DecodingState, Node) throws -> T
    ) throws -> T {
        let node = try peek(T.self)
        let value = try body(state, node)
        move(past: node)
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let node = try peek(Never.self)
        guard state.document.kind(node) == .null else { return false }
        move(past: node)
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take { try $0.bool($1) } }
    mutating func decode(_ type: String.Type) throws -> String { try take { try $0.string($1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take { try $0.double($1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take { try $0.float($1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try take { try $0.integer($1) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try take { try $0.integer($1) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take { try $0.integer($1) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try take { try $0.decode(type, at: $1) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try take { try $0.keyed(at: $1) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take { try $0.unkeyed(at: $1) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try take { NodeDecoder(state: $0, node: $1, isEnum: false) }
    }
}
