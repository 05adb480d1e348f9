/// The elements of an array, decoded one after the other.
struct UnkeyedNodes: UnkeyedDecodingContainer {
    typealias Node = JSONDocument.Node

    let state: DecodingState
    let array: Node
    private var following: Node
    private var decoded: UInt32 = 0

    init(state: DecodingState, array: Node) {
        self.state = state
        self.array = array
        following = Node(Int(array.index) + 1)
    }

    var codingPath: [any CodingKey] {
        state.document.steps(to: array)
    }

    var count: Int? { state.document.count(array) }
    var currentIndex: Int { Int(decoded) }
    var isAtEnd: Bool { Int(decoded) == state.document.count(array) }

    private func peek(_ type: any Any.Type) throws -> Node {
        if isAtEnd { throw state.exhausted(array, type) }
        return following
    }

    /// Moves past the element at `node` after it was decoded; one that fails stays the next.
    private mutating func move(past node: Node) {
        following = state.document.nodeAfter(node)
        decoded += 1
    }

    private mutating func decodeNext<T>(
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

    mutating func decode(_ type: Bool.Type) throws -> Bool { try decodeNext { try $0.bool($1) } }
    mutating func decode(_ type: String.Type) throws -> String {
        try decodeNext { try $0.string($1) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try decodeNext { try $0.double($1) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float { try decodeNext { try $0.float($1) } }
    @inline(__always)
    mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
        try decodeNext { try $0.integer($1) }
    }
    // These two have defaults, which the generic function doesn't replace.
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try decodeNext { try $0.integer($1) }
    }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try decodeNext { try $0.integer($1) }
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try decodeNext { try $0.decode(type, at: $1) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try decodeNext { try $0.keyed(at: $1) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decodeNext { try $0.unkeyed(at: $1) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try decodeNext { NodeDecoder(state: $0, node: $1, form: .object) }
    }
}
