/// The way in which a keyed container reads its node. It isn't nested in the generic container,
/// because its metadata would have to be looked up for every key type then.
enum KeyedForm {
    /// An object's members by their names.
    case object
    /// A string or an object that stands for a value of an enum.
    case enumeration
    /// The values of an enum case: the members of an object except `type`; a string has none.
    case values
}

/// The members of an object, or an enum's case and its values.
///
/// The code that Swift writes for an enum asks a container for its only key, which is the case, and
/// then for the container nested there, which holds the values. An `enumeration` answers these
/// requests from Grove's form. For all others it is a plain object, for enums with a hand-written
/// `init(from:)`.
struct KeyedNodes<Key: CodingKey>: KeyedDecodingContainerProtocol {
    typealias Node = JSONDocument.Node

    let state: DecodingState
    let node: Node
    let form: KeyedForm

    var codingPath: [any CodingKey] {
        state.document.steps(to: node)
    }

    var allKeys: [Key] {
        switch form {
        case .object, .values:
            var keys: [Key] = []
            keys.reserveCapacity(state.document.count(node))
            for (name, _) in state.document.members(of: node) {
                if form == .values, state.document.stringEquals(name, "type") { continue }
                if let key = Key(stringValue: state.document.string(name) ?? "") {
                    keys.append(key)
                }
            }
            return keys
        case .enumeration:
            if let name = caseNode.flatMap({ state.document.string($0) }),
                let key = Key(stringValue: name)
            {
                return [key]
            }
            state.unknownCase = node
            return []
        }
    }

    /// The string that names the case; nil if there is none.
    private var caseNode: Node? {
        state.document.kind(node) == .string ? node : state.document.member("type", of: node)
    }

    /// Whether `key` is the case at this node.
    private func isCase(_ key: Key) -> Bool {
        guard form == .enumeration, let caseNode else { return false }
        var name = key.stringValue
        return name.withUTF8 { state.document.stringEquals(caseNode, utf8: $0) }
    }

    /// The value for `key`; nil if there is none.
    private func find(_ key: Key) throws -> Node? {
        guard form == .values else { return state.member(key.stringValue, of: node) }
        let name = EnumLabels.name(key)
        if name == EnumLabels.type { throw state.refusedLabel(at: node) }
        return state.member(name, of: node)
    }

    private func require(_ key: Key, _ type: any Any.Type) throws -> Node {
        if let value = try find(key) { return value }
        let name = form == .values ? EnumLabels.name(key) : key.stringValue
        throw state.missing(key, name, of: node, type, isMember: form == .object)
    }

    /// The value for `key`; nil if there is none or it is null.
    private func present(_ key: Key) throws -> Node? {
        guard let value = try find(key), state.document.kind(value) != .null else { return nil }
        return value
    }

    func contains(_ key: Key) -> Bool {
        do {
            return try find(key) != nil
        } catch {
            return true  // A refused label throws when its value is decoded.
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        state.document.kind(try require(key, Never.self)) == .null
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try state.bool(require(key, type))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try state.string(require(key, type))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try state.double(require(key, type))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try state.float(require(key, type))
    }
    @inline(__always)
    func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try state.integer(require(key, type))
    }
    // These two have defaults, which the generic function doesn't replace.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try state.integer(require(key, type))
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try state.integer(require(key, type))
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try state.decode(type, at: require(key, type))
    }

    // For the most frequent optionals, one lookup instead of three.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try state.bool($0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try state.string($0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try state.double($0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try state.integer($0) }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key).map { try state.decode(type, at: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        if isCase(key) {
            return KeyedDecodingContainer(
                KeyedNodes<Nested>(state: state, node: node, form: .values))
        }
        return try state.keyed(at: require(key, [String: Any].self))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try state.unkeyed(at: require(key, [Any].self))
    }

    func superDecoder() throws -> any Decoder {
        guard let value = state.member("super", of: node) else {
            throw state.missing(PathStep.name("super"), "super", of: node, Never.self)
        }
        return NodeDecoder(state: state, node: value, isEnum: false)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        NodeDecoder(state: state, node: try require(key, Never.self), isEnum: false)
    }
}
