/// Objects and arrays, member by member, with their commas. A member costs about 7 ns more than the
/// same text as one ``JSONWriter/literal(_:)``: lines that are written hundreds of thousands of
/// times per second use literals.
extension JSONWriter {
    /// Appends the comma between two members or elements: not at the start of an object or array.
    @inlinable
    public mutating func comma() {
        if !isAtStart { bytes.append(UInt8(ascii: ",")) }
    }

    /// Whether an object or array was opened last. Nothing else ends with a bracket that opens: a
    /// string ends with its quote.
    @inlinable
    var isAtStart: Bool {
        let count = bytes.count
        return count > 0 && bytes[count - 1] | 0x20 == UInt8(ascii: "{")
    }

    /// Appends the name of a member, which needs no escapes, and its colon; its value must follow.
    @inlinable
    public mutating func name(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        // One append: each further one would cost 4 ns.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 4) { text in
            guard let base = text.baseAddress else { return }
            base[0] = UInt8(ascii: ",")
            base[1] = UInt8(ascii: "\"")
            (base + 2).update(from: name.utf8Start, count: count)
            base[count + 2] = UInt8(ascii: "\"")
            base[count + 3] = UInt8(ascii: ":")
            let start = isAtStart ? 1 : 0
            bytes.append(
                contentsOf: UnsafeBufferPointer(start: base + start, count: count + 4 - start))
        }
    }

    /// Appends a member, unless its value is `nil`.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    /// Appends a member, unless its value is `nil`.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    /// Appends a member.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// Appends a member that is `true`, or nothing.
    @inlinable
    public mutating func flag(_ name: StaticString, _ isSet: Bool) {
        if isSet { member(name, true) }
    }

    /// Appends a member whose value already is JSON, unless that is `nil`.
    @inlinable
    public mutating func member(_ name: StaticString, json: [UInt8]?) {
        guard let json else { return }
        self.name(name)
        raw(json)
    }

    /// Appends an object; `members` writes its members.
    @inlinable
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends a member that is an object; `members` writes its members.
    @inlinable
    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    /// Appends a member that is an array; `write` writes one element.
    @inlinable
    public mutating func array<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            comma()
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends a member that is an array of strings.
    @inlinable
    public mutating func array(_ name: StaticString, _ strings: [String]) {
        array(name, strings) { $0.string($1) }
    }
}
