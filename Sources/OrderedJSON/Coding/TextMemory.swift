/// The JSON texts of values that were encoded before, so that a value which comes again isn't
/// encoded again.
///
/// The instances of a finite state machine reach the same few states again and again. Writing one
/// through `Codable` takes longer than the step that leads to it.
///
/// A value is recognized by its type and its bits. So this is for types whose values are nothing
/// but bits, and few of them: enums without values, structs of numbers, at least one byte and at
/// most ``valueBytesMax``. What `encode(to:)` writes must depend on the value alone. Bits between
/// members may differ in equal values; such a value isn't recognized, and is encoded.
///
/// Each value has one slot, by its hash, which another one may take. A slot gets a text when its
/// value comes for the second time: values that never come again cost no memory for texts.
public struct TextMemory: Sendable {
    /// What was known of a value.
    public enum Recollection: Sendable, Equatable {
        /// Its text, which was written.
        case written
        /// That it has come before: its text should be remembered in this slot.
        case slot(Int)
        /// Nothing: it is new, or can't be recognized.
        case nothing
    }

    /// The bits of a value, filled up with zeros.
    private struct Bits: Equatable {
        private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

        init(_ value: UnsafeRawBufferPointer) {
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: value) }
        }

        static func == (left: Bits, right: Bits) -> Bool { left.words == right.words }

        func hash(with type: UInt) -> UInt64 {
            var hash = UInt64(type)
            hash = Self.mixed(hash ^ words.0)
            hash = Self.mixed(hash ^ words.1)
            hash = Self.mixed(hash ^ words.2)
            return Self.mixed(hash ^ words.3)
        }

        private static func mixed(_ hash: UInt64) -> UInt64 {
            let product = hash &* 0x9E37_79B9_7F4A_7C15
            return product ^ (product >> 32)
        }
    }

    private struct Entry {
        /// The address of the type's metadata, which stays for as long as the process; 0 for none.
        var type: UInt
        var bits: Bits
        /// Empty until the value has come twice: no text of JSON is empty.
        var text: [UInt8]
    }

    /// A power of two of them, or none.
    private var entries: [Entry]

    /// A memory.
    ///
    /// - Parameter slots: The values that it has room for, a power of two. Each takes 48 bytes, and
    ///   at most ``textBytesMax`` for its text. Without room it recognizes nothing.
    public init(slots: Int = 0) {
        precondition(slots & (slots - 1) == 0, "the number of slots is a power of two")
        let nothing = Bits(UnsafeRawBufferPointer(start: nil, count: 0))
        entries = Array(repeating: Entry(type: 0, bits: nothing, text: []), count: slots)
    }

    /// Appends the text of a value, if it is known. After ``Recollection/slot(_:)`` comes
    /// ``remember(_:in:)``, unless the value can't be encoded.
    @inlinable
    public mutating func recall<T>(_ value: T, into writer: inout JSONWriter) -> Recollection {
        // The compiler knows all of this where it knows the type. A value without bits has no
        // address either: optimized code passes any. An integer is written as fast as it is found.
        guard _isPOD(T.self), MemoryLayout<T>.size > 0,
            MemoryLayout<T>.size <= Self.valueBytesMax, T.self != Int.self
        else { return .nothing }
        let type = unsafeBitCast(T.self as any Any.Type, to: UInt.self)
        return withUnsafeBytes(of: value) { recall($0, type, into: &writer) }
    }

    // Never inlined: the bits between members may have no defined value, and where the compiler
    // sees that nothing has written them, it may take them for whatever it likes.
    @inline(never)
    @usableFromInline
    mutating func recall(
        _ value: UnsafeRawBufferPointer, _ type: UInt, into writer: inout JSONWriter
    ) -> Recollection {
        guard !entries.isEmpty else { return .nothing }
        let bits = Bits(value)
        let slot = Int(truncatingIfNeeded: bits.hash(with: type)) & (entries.count - 1)
        guard entries[slot].type == type, entries[slot].bits == bits else {
            entries[slot] = Entry(type: type, bits: bits, text: [])
            return .nothing
        }
        guard !entries[slot].text.isEmpty else { return .slot(slot) }
        writer.bytes.append(contentsOf: entries[slot].text)
        return .written
    }

    /// Remembers the text of the value for which ``recall(_:into:)`` has just returned this slot.
    /// One that is too long isn't kept.
    public mutating func remember(_ text: [UInt8], in slot: Int) {
        guard text.count <= Self.textBytesMax else { return }
        // A copy: the memory of the text is that of the next one.
        entries[slot].text = text.withUnsafeBufferPointer { Array($0) }
    }
}
