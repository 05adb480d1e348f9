/// Looks at the first two bytes of a connection, wherever they are cut.
struct OpeningBytes: Sendable {
    private var seen = 0

    /// Whether these bytes, the next ones of the connection, make the beginning of a TLS record of
    /// type handshake: `0x16 0x03`. No JSON begins so.
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
