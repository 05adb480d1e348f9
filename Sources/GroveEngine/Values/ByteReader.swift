/// Reads values written by `ByteCoding`; never past the end, never traps on hostile bytes.
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

    package mutating func hash() throws(StoreError) -> EventHash {
        EventHash(high: try word(), low: try word())
    }

    mutating func word() throws(StoreError) -> UInt64 {
        var word: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { word |= UInt64(try byte()) << shift }
        return word
    }

    package mutating func array() throws(StoreError) -> [UInt8] { Array(try span()) }

    package mutating func string() throws(StoreError) -> String {
        try Self.string(try span())
    }

    /// Decodes a text.
    static func string(_ span: UnsafeRawBufferPointer) throws(StoreError) -> String {
        guard let text = String(validating: span, as: UTF8.self) else {
            throw .corrupt("a text in a row is not UTF-8")
        }
        return text
    }
}
