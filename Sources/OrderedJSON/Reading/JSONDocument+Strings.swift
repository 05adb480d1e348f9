extension JSONDocument {
    /// The string, unescaped; nil if `node` is no string.
    public func string(_ node: Node) -> String? {
        withStringBytes(node) { String(decoding: $0, as: UTF8.self) }
    }

    /// The string's UTF-8, unescaped; nil if `node` is no string.
    public func stringBytes(_ node: Node) -> [UInt8]? {
        withStringBytes(node) { Array($0) }
    }

    /// Calls `body` with the string's UTF-8, unescaped, and returns its result; nil if `node` is no
    /// string. The bytes are valid during the call only. Nothing is allocated unless the string
    /// has escapes.
    @inlinable
    public func withStringBytes<R>(
        _ node: Node, _ body: (UnsafeRawBufferPointer) -> R
    ) -> R? {
        let entry = entry(node)
        guard entry.kindBits == Kind.string.rawValue else { return nil }
        if entry.isFlagged { return unescaped(node).withUnsafeBytes(body) }
        return bytes.withUnsafeBytes { bytes in
            body(
                UnsafeRawBufferPointer(
                    rebasing: bytes[Int(entry.start) + 1..<Int(entry.end) - 1]))
        }
    }

    /// Whether `node` is a string of exactly these bytes.
    /// Nothing is allocated unless the string has escapes.
    @inlinable
    public func stringEquals(_ node: Node, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { stringEquals(node, utf8: $0) }
    }

    /// Whether `node` is a string of exactly the bytes `utf8`.
    @inlinable
    func stringEquals(_ node: Node, utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let entry = entry(node)
        guard entry.kindBits == Kind.string.rawValue else { return false }
        if entry.isFlagged { return unescaped(node).elementsEqual(utf8) }
        let start = Int(entry.start) + 1
        guard Int(entry.end) - 1 - start == utf8.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < utf8.count, bytes[start + index] == utf8[index] { index += 1 }
            return index == utf8.count
        }
    }

    @usableFromInline
    func unescaped(_ node: Node) -> [UInt8] {
        let entry = entry(node)
        return bytes.withUnsafeBufferPointer { bytes in
            var unescaped: [UInt8] = []
            unescaped.append(
                unescaping: UnsafeBufferPointer(
                    rebasing: bytes[Int(entry.start) + 1..<Int(entry.end) - 1]))
            return unescaped
        }
    }
}
