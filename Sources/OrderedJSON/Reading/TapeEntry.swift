/// One node of a parsed text: a value or a member name, in the order of the text.
///
/// An object's entry is followed by its members, each a name (a string) and then its value; an
/// array's entry by its elements. `next` skips all of them, so that a sibling is one step away
/// whatever the value's size.
@usableFromInline
struct TapeEntry: Sendable {
    /// The offset of the value's first byte in the text.
    @usableFromInline var start: UInt32
    /// The offset after the value's last byte.
    @usableFromInline var end: UInt32
    /// The index of the entry after this value and its contents. While a container is open, the
    /// index of the container around it: that chain is the scanner's stack.
    @usableFromInline var next: UInt32
    /// Bits 0–3: the kind. Bit 4: the flag. From bit 5: the number of elements or members.
    @usableFromInline var bits: UInt32

    /// Bit 4: a bool is `true`; a string has escapes.
    static let flag: UInt32 = 1 << 4
    /// One element or member.
    static let one: UInt32 = 1 << 5
    /// The `next` of the outermost open container.
    static let none = UInt32.max

    static let zero = TapeEntry(start: 0, end: 0, next: 0, bits: 0)

    @inlinable
    init(start: UInt32, end: UInt32, next: UInt32, bits: UInt32) {
        self.start = start
        self.end = end
        self.next = next
        self.bits = bits
    }

    @inlinable var kindBits: UInt8 { UInt8(truncatingIfNeeded: bits & 15) }
    @inlinable var isFlagged: Bool { bits & 16 != 0 }
    @inlinable var count: Int { Int(bits >> 5) }
}
