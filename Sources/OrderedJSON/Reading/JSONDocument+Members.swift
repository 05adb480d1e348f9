extension JSONDocument {
    /// The value of the member `name`; nil if there is none or `object` is no object. It compares
    /// the names of the members one after the other, byte by byte, without allocation.
    @inlinable
    public func member(_ name: StaticString, of object: Node) -> Node? {
        name.withUTF8Buffer { member(utf8: $0, of: object) }
    }

    /// The value of the member `name`, for a name that is computed.
    @inlinable
    public func member(named name: String, of object: Node) -> Node? {
        var name = name
        return name.withUTF8 { member(utf8: $0, of: object) }
    }

    @inlinable
    func member(utf8 name: UnsafeBufferPointer<UInt8>, of object: Node) -> Node? {
        let entry = entry(object)
        guard entry.kindBits == Kind.object.rawValue else { return nil }
        return member(utf8: name, from: Int(object.index) + 1, to: Int(entry.next))
    }

    @inlinable @inline(__always)
    func member(utf8 name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Node? {
        var index = start
        while index < end {
            if stringEquals(Node(index), utf8: name) { return Node(index + 1) }
            index = Int(tape[index + 1].next)
        }
        return nil
    }

    /// The value of the member `name`, searched from the member whose name is at `first`, and then
    /// from the beginning.
    func member(named name: String, of object: Node, from first: Node?) -> Node? {
        var name = name
        return name.withUTF8 { name in
            guard let first else { return member(utf8: name, of: object) }
            let end = Int(entry(object).next)
            let start = Int(first.index)
            return member(utf8: name, from: start, to: end)
                ?? member(utf8: name, from: Int(object.index) + 1, to: start)
        }
    }

    /// The node after `node` and its contents; past the end of the text after the last one.
    func nodeAfter(_ node: Node) -> Node { Node(Int(entry(node).next)) }

    /// The members of `object` in the order of the text; none if it is no object.
    @inlinable
    public func members(of object: Node) -> Members {
        let entry = entry(object)
        let isObject = entry.kindBits == Kind.object.rawValue
        return Members(
            document: self, index: Int(object.index) + 1, end: isObject ? Int(entry.next) : 0)
    }

    /// The elements of `array` in the order of the text; none if it is no array.
    @inlinable
    public func elements(of array: Node) -> Elements {
        let entry = entry(array)
        let isArray = entry.kindBits == Kind.array.rawValue
        return Elements(
            document: self, index: Int(array.index) + 1, end: isArray ? Int(entry.next) : 0)
    }

    /// The members of one object: the nodes of name and value, in the order of the text.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int
        @usableFromInline let end: Int

        @inlinable
        init(document: JSONDocument, index: Int, end: Int) {
            self.document = document
            self.index = index
            self.end = end
        }

        /// The next member; nil after the last one.
        @inlinable
        public mutating func next() -> (name: Node, value: Node)? {
            guard index < end else { return nil }
            defer { index = Int(document.tape[index + 1].next) }
            return (Node(index), Node(index + 1))
        }
    }

    /// The elements of one array, in the order of the text.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        @usableFromInline let document: JSONDocument
        @usableFromInline var index: Int
        @usableFromInline let end: Int

        @inlinable
        init(document: JSONDocument, index: Int, end: Int) {
            self.document = document
            self.index = index
            self.end = end
        }

        /// The next element; nil after the last one.
        @inlinable
        public mutating func next() -> Node? {
            guard index < end else { return nil }
            defer { index = Int(document.tape[index].next) }
            return Node(index)
        }
    }
}
