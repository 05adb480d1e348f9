/// A JSON object: members in their order, with distinct names.
///
/// Names are compared byte by byte in UTF-8, unlike Swift's `String`, for which different encodings
/// of one character are equal. Two objects are equal if they have the same members in the same
/// order, that is, if their texts are equal. Finding a name takes constant time in a large object
/// and a short search in a small one.
public struct JSONObject: Sendable {
    /// A name and its value.
    public struct Member: Sendable {
        /// The name, unescaped.
        public let name: String
        /// The value.
        public var value: JSONValue

        /// A member; the name may be any string.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in their order.
    public private(set) var members: [Member] = []
    /// The members' positions by name; empty while there are few members.
    private var positions: [JSONName: Int] = [:]

    /// An object without members.
    public init() {}

    /// An object of members whose names are distinct.
    init(distinct members: [Member]) {
        self.members = members
        reindex()
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether it has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the member `name`; nil if there is none. Setting replaces the value in place,
    /// adds a new member at the end, or with nil removes the member and closes the gap.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil):
                members.remove(at: position)
                reindex()
            case (nil, let value?):
                members.append(Member(name: name, value: value))
                if !positions.isEmpty {
                    positions[JSONName(name)] = members.count - 1
                } else if members.count > JSONLimits.membersWithoutIndexMax {
                    reindex()
                }
            case (nil, nil): break
            }
        }
    }

    private func position(of name: String) -> Int? {
        if !positions.isEmpty { return positions[JSONName(name)] }
        return members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private mutating func reindex() {
        positions.removeAll(keepingCapacity: true)
        guard members.count > JSONLimits.membersWithoutIndexMax else { return }
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() {
            positions[JSONName(member.name)] = position
        }
    }
}

/// A member name as a dictionary key: equal if the UTF-8 is.
private struct JSONName: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: JSONName, other: JSONName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(utf8Of: text) }
}

extension Hasher {
    /// Adds the UTF-8 of a string and an end mark, so that neighbors can't be confused.
    mutating func combine(utf8Of text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)
    }
}

extension JSONObject.Member: Hashable {
    /// Whether the names have the same bytes and the values are equal.
    public static func == (one: JSONObject.Member, other: JSONObject.Member) -> Bool {
        one.name.utf8.elementsEqual(other.name.utf8) && one.value == other.value
    }

    /// Adds name and value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(utf8Of: name)
        hasher.combine(value)
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members in the same order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.members == other.members
    }

    /// Adds the members in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: Sequence {
    /// Iterates over the members in their order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members as written; a repeated name has its last value, at its first position.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}
