/// The bounds of WebSocket.
enum WebSocketLimits {
    /// Bytes of the payload of a control frame (RFC 6455, section 5.5).
    static let controlBytesMax = 125

    /// Bytes of the reason in a close frame: two are its code.
    static let reasonBytesMax = controlBytesMax - 2

    /// Bytes of memory that stay allocated between two messages, as between two lines.
    static let idleBytesMax = 4 << 10
}
