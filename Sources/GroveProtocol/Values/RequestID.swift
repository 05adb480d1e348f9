/// A client's id of one request: the bytes of its JSON, echoed unchanged. Ids of up to 15 bytes are
/// stored inline, without an allocation.
package struct RequestID: Hashable, Sendable {
    private var low: UInt64 = 0
    // The bytes 8 to 14; the topmost byte is their number, 255 when they are in `long`.
    private var high: UInt64 = 0
    private var long: [UInt8]?

    /// Stores the bytes of a JSON string or integer.
    package init(_ text: UnsafeRawBufferPointer) {
        guard text.count <= 15 else {
            high = 255 << 56
            long = Array(text)
            return
        }
        for (index, byte) in text.enumerated() {
            if index < 8 {
                low |= UInt64(byte) << (UInt64(index) * 8)
            } else {
                high |= UInt64(byte) << (UInt64(index - 8) * 8)
            }
        }
        high |= UInt64(text.count) << 56
    }

    package func append(to bytes: inout [UInt8]) {
        if let long {
            bytes.append(contentsOf: long)
            return
        }
        let count = Int(high >> 56)
        withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}
