/// The key of a map entry.
///
/// Integers of both types are the same key if they have the same value. Strings are compared byte
/// by byte, and carry a hash, so that looking up a name seldom compares text.
public struct CELKey: Sendable {
    enum Kind: Sendable {
        case bool(Bool)
        case int(Int64)
        case uint(UInt64)
        case string(String)
    }

    let kind: Kind
    /// The same for equal keys, in every process. The highest byte is the kind: 0 to 7 for a
    /// string with this number of bytes, which are the other bytes, so that no other key has the
    /// same number.
    let mixed: UInt64

    private init(kind: Kind) {
        self.kind = kind
        switch kind {
        case .bool(let value): mixed = Self.tagged(value ? 1 : 2)
        case .int(let value):
            mixed = Self.tagged(UInt64(bitPattern: value) &* 0x9E37_79B9_7F4A_7C15)
        case .uint(let value): mixed = Self.tagged(value &* 0x9E37_79B9_7F4A_7C15)
        case .string(let text): mixed = Self.mix(text)
        }
    }

    /// Marks a number as one that different keys may have.
    private static func tagged(_ value: UInt64) -> UInt64 { value | 0xFF << 56 }

    /// A string as a key.
    public init(_ text: String) { self.init(kind: .string(text)) }

    /// A bool, integer or string as a key; a double only if it is the value of an integer.
    ///
    /// - Returns: Nil for values that are no key.
    public init?(_ value: CELValue) {
        switch value {
        case .bool(let value): self.init(kind: .bool(value))
        case .int(let value): self.init(kind: .int(value))
        case .uint(let value): self.init(kind: .uint(value))
        case .string(let value): self.init(kind: .string(value))
        case .double(let value):
            if let integer = Int64(exactly: value) {
                self.init(kind: .int(integer))
            } else if let integer = UInt64(exactly: value) {
                self.init(kind: .uint(integer))
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// The key as a value.
    public var value: CELValue {
        switch kind {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .uint(let value): .uint(value)
        case .string(let value): .string(value)
        }
    }

    /// The bytes themselves, or FNV-1a over the UTF-8. Texts of one hash only make a short search
    /// longer: large maps use the seeded hash of the standard library.
    private static func mix(_ text: String) -> UInt64 {
        let count = text.utf8.count
        if count < 8 {
            return text.utf8.reduce(0) { $0 << 8 | UInt64($1) } | UInt64(count) << 56
        }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return tagged(hash)
    }
}

extension CELKey: Hashable {
    /// Whether both are the same key.
    @inline(__always)
    public static func == (one: CELKey, other: CELKey) -> Bool {
        guard one.mixed == other.mixed else { return false }
        return one.mixed >> 56 < 8 || isSame(one.kind, other.kind)
    }

    private static func isSame(_ one: Kind, _ other: Kind) -> Bool {
        switch (one, other) {
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.int(let left), .int(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.uint(let left), .uint(let right)): left == right
        case (.int(let left), .uint(let right)): left == right
        case (.uint(let left), .int(let right)): left == right
        default: false
        }
    }

    /// Adds the value itself, not its hash, which anyone can compute.
    public func hash(into hasher: inout Hasher) {
        switch kind {
        case .bool(let value): hasher.combine(value)
        // The same for equal integers of both types.
        case .int(let value): hasher.combine(UInt64(bitPattern: value))
        case .uint(let value): hasher.combine(value)
        case .string(var text):
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
