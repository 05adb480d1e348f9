/// The primitives of stored rows: LEB128 variable-length integers and length-prefixed bytes.
/// `docs/internals/data-file.md` describes the rows made of them.
package enum ByteCoding {
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        bytes.append(atMost: ByteWriter.integerBytes) { $0.append(value) }
    }

    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        precondition(value >= 0, "stored integers are never negative")
        append(UInt64(value), to: &bytes)
    }

    /// Appends both halves, the upper one first, each least significant byte first.
    package static func append(_ hash: EventHash, to bytes: inout [UInt8]) {
        bytes.append(atMost: ByteWriter.hashBytes) { $0.append(hash) }
    }

    package static func append(_ content: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append(UInt64(content.count), to: &bytes)
        bytes.append(contentsOf: content)
    }
}

extension [UInt8] {
    /// Calls `decode` with a part of the bytes. Inlinable, because a call for each row of a start
    /// should not go through generic code.
    @inlinable
    package func read<Value>(
        _ range: Range<Int>,
        with decode: (UnsafeRawBufferPointer) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try withUnsafeBufferPointer { (bytes) throws(StoreError) in
            try decode(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
        }
    }
}

extension [UInt8] {
    /// A copy without the spare room of a reused buffer, for values that are kept.
    var compact: [UInt8] { withUnsafeBufferPointer { [UInt8]($0) } }

    /// As `==`, but in words of eight bytes.
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
