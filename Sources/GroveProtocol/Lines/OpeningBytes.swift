/// Tests the first two bytes of a connection, however they are split.
struct OpeningBytes: Sendable {
    private var seen = 0

    /// Whether the connection's bytes, with these next ones, begin a TLS record of type handshake:
    /// `0x16 0x03`. No JSON begins so.
    mutating func areTLS(_ chunk: UnsafeRawBufferPointer) -> Bool {
        for byte in chunk {
            guard seen < 2 else { return false }
            guard byte == (seen == 0 ? 0x16 : 0x03) else {
                seen = 2
                return false
            }
            seen += 1
            if seen == 2 { return true }
        }
        return false
    }
}
