/// The primitives of stored rows: LEB128 variable-length integers and length-prefixed bytes.
/// `docs/internals/data-file.md` describes the rows made of them.
package enum ByteCoding {
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        precondition(value >= 0, "stored integers are never negative")
        append(UInt64(value), to: &bytes)
    }

    package static func append(_ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(content.count), to: &bytes)
        bytes.append(contentsOf: content)
    }
}

/// Reads what `ByteCoding` wrote; never past the end, never traps on hostile bytes.
package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func byte() throws(StoreError) -> UInt8 {
        guard position < bytes.count else { throw .corrupt("a row ends too early") }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func integer() throws(StoreError) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 56, by: 7) {
            let next = try byte()
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return Int64(value) }
        }
        throw .corrupt("an integer in a row is too long")
    }

    package mutating func span() throws(StoreError) -> UnsafeRawBufferPointer {
        let count = try integer()
        guard count <= bytes.count - position else { throw .corrupt("a row ends too early") }
        defer { position += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + Int(count))])
    }

    package mutating func array() throws(StoreError) -> [UInt8] { Array(try span()) }

    package mutating func string() throws(StoreError) -> String {
        guard let text = String(validating: try span(), as: UTF8.self) else {
            throw .corrupt("a text in a row is not UTF-8")
        }
        return text
    }
}

extension [UInt8] {
    /// Decodes a part of the bytes.
    package func read<Value>(
        _ range: Range<Int>,
        with decode: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let outcome = withUnsafeBytes { bytes -> Result<Value, StoreError> in
            do throws(StoreError) {
                return .success(try decode(UnsafeRawBufferPointer(rebasing: bytes[range])))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension [UInt8] {
    /// The same bytes in memory of their own, without the room that a buffer has which is used
    /// again and again. For what is kept.
    var compact: [UInt8] { withUnsafeBufferPointer { [UInt8]($0) } }

    /// The same as `==`, which looks at every byte by itself, in words of eight.
    func hasSameBytes(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                var offset = 0
                while offset + 8 <= left.count {
                    let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if word != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) {
                        return false
                    }
                    offset += 8
                }
                while offset < left.count {
                    if left[offset] != right[offset] { return false }
                    offset += 1
                }
                return true
            }
        }
    }
}
