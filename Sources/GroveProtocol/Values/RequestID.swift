/// A client's id of one request: the bytes of its JSON as they stood in the line, so that they
/// are echoed unchanged. Ids of up to 15 bytes are kept inline, without an allocation.
public struct RequestID: Hashable, Sendable {
    private var low: UInt64 = 0
    // The bytes 8 to 14; the topmost byte is how many there are, 255 when they stand in `long`.
    private var high: UInt64 = 0
    private var long: [UInt8]?

    /// Keeps the bytes of a JSON string or integer.
    public init(_ text: UnsafeRawBufferPointer) {
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

    /// Appends the bytes.
    public func append(to bytes: inout [UInt8]) {
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
