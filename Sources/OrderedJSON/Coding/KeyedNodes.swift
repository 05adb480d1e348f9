/// The members of an object, or an enum's case and its values.
///
/// The code that Swift writes for an enum asks a container for its only key, which is the case, and
/// then for the container nested there, which holds the values. An `enumeration` answers these
/// requests from Grove's form. Enums with a hand-written `init(from:)` may have written plain
/// objects, also with a member `type` of their own, so the requests decide:
/// - `allKeys` is answered with the case if `type` names a key, and the nested container that is
///   asked for next holds its values;
/// - where the keys don't know `type`, it can't be a member, so the object stands for a case, and
///   so does one with a member that they don't know;
/// - otherwise the object's own members come first, and those alone once `type` was read as one.
///
/// The encoder reads what could be mistaken nevertheless, and refuses it.
struct KeyedNodes<Key: CodingKey>: KeyedDecodingContainerProtocol {
    typealias Node = JSONDocument.Node

    let state: DecodingState
    let node: Node
    let form: KeyedForm
    /// The case that an `enumeration` names, as an index of the keys; -1 if it names none of them.
    var choice = -1

    var codingPath: [any CodingKey] {
        state.document.steps(to: node)
    }

    var allKeys: [Key] {
        if form == .enumeration {
            if choice >= 0 {
                state.casedNode = node
                return [TypeMetadata.emptyCase(Key.self, known: choice)]
            }
            state.unknownCase = node
            state.listedNode = node
        }
        var keys: [Key] = []
        keys.reserveCapacity(state.document.count(node))
        for (name, _) in state.document.members(of: node) {
            if form == .values, state.document.stringEquals(name, "type") { continue }
            if let key = Key(stringValue: state.document.string(name) ?? "") {
                keys.append(key)
            }
        }
        return keys
    }

    /// Whether `key` is the case that the node names, if it names one.
    private func isNamed(_ key: Key) -> Bool {
        form == .enumeration && choice >= 0 && TypeMetadata.index(ofEmptyCase: key) == choice
    }

    /// Whether `key` has no value but those of the case.
    private func isCase(_ key: Key) -> Bool {
        isNamed(key) && (state.casedNode == node || isSurelyCase)
    }

    /// Whether the node can be no plain object.
    private var isSurelyCase: Bool {
        guard choice >= 0 else { return false }
        if state.document.kind(node) == .string { return true }
        if state.plainNodes.contains(node) { return false }
        if Key(stringValue: EnumLabels.type) == nil { return true }
        let key = TypeMetadata.emptyCase(Key.self, known: choice)
        guard state.document.member(named: key.stringValue, of: node) == nil else { return false }
        return state.document.members(of: node).contains { name, _ in
            Key(stringValue: state.document.string(name) ?? "") == nil
        }
    }

    /// The value of the member for `key`; nil if there is none.
    private func find(_ key: Key) -> Node? {
        switch form {
        case .object: return state.member(key.stringValue, of: node)
        case .values:
            // A value with the label `type` isn't written, so an optional one was nil.
            let name = EnumLabels.name(key)
            return name == EnumLabels.type ? nil : state.member(name, of: node)
        case .enumeration:
            if isSurelyCase { return nil }
            let name = key.stringValue
            let value = state.member(name, of: node)
            if value != nil, name == EnumLabels.type { state.setPlain(node) }
            return value
        }
    }

    private func require(_ key: Key, _ type: any Any.Type) throws -> Node {
        if let value = find(key) { return value }
        let name = form == .values ? EnumLabels.name(key) : key.stringValue
        if form == .values, name == EnumLabels.type { throw state.refusedLabel(at: node) }
        throw state.missing(key, name, of: node, type, isMember: form == .object)
    }

    /// The value for `key`; nil if there is none or it is null.
    private func present(_ key: Key, _ type: any Any.Type) -> Node? {
        guard let value = find(key) else {
            noteAbsent(key, type)
            return nil
        }
        return state.document.kind(value) == .null ? nil : value
    }

    private func noteAbsent(_ key: Key, _ type: (any Any.Type)?) {
        guard let notes = state.notes else { return }
        let name = form == .values ? EnumLabels.name(key) : key.stringValue
        notes.note(absent: name, of: node, type)
    }

    func contains(_ key: Key) -> Bool {
        if isCase(key) { return true }
        if find(key) != nil { return true }
        noteAbsent(key, nil)
        return false
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        if isCase(key) { return false }
        return state.document.kind(try require(key, Never.self)) == .null
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
        if isCase(key) { return try state.decodeValues(type, at: node) }
        return try state.decode(type, at: require(key, type))
    }

    // For the most frequent optionals, one lookup instead of three.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key, type).map { try state.bool($0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key, type).map { try state.string($0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key, type).map { try state.double($0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key, type).map { try state.integer($0) }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if isCase(key) { return try state.decodeValues(type, at: node) }
        return try present(key, type).map { try state.decode(type, at: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        if isNamed(key), isCase(key) || !hasObject(key) {
            return KeyedDecodingContainer(
                KeyedNodes<Nested>(state: state, node: node, form: .values))
        }
        if form == .enumeration { try state.refuseSwiftsForm(at: node) }
        return try state.keyed(at: require(key, [String: Any].self))
    }

    /// Whether the member for `key`, which is also the name of the case, may be meant: it is an
    /// object, or the node was read as a plain object before.
    private func hasObject(_ key: Key) -> Bool {
        guard let value = state.document.member(named: key.stringValue, of: node) else {
            return false
        }
        return state.document.kind(value) == .object || state.plainNodes.contains(node)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try state.unkeyed(at: require(key, [Any].self))
    }

    func superDecoder() throws -> any Decoder {
        guard let value = state.member("super", of: node) else {
            throw state.missing(PathStep.name("super"), "super", of: node, Never.self)
        }
        return NodeDecoder(state: state, node: value, form: .object)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        if isCase(key) { return NodeDecoder(state: state, node: node, form: .values) }
        return NodeDecoder(state: state, node: try require(key, Never.self), form: .object)
    }
}
