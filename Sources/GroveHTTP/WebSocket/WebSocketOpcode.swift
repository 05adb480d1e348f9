/// What a frame is (RFC 6455, section 5.2).
public enum WebSocketOpcode: UInt8, Sendable {
    /// The next part of a message.
    case continuation = 0x0
    /// A message of text, or its first part.
    case text = 0x1
    /// A message of bytes, or its first part.
    case binary = 0x2
    /// The end of what a side sends.
    case close = 0x8
    /// A question whether the other side is there.
    case ping = 0x9
    /// The answer to a ping, with its payload; or a sign of life that nobody asked for.
    case pong = 0xA

    /// Whether it is about the connection and not part of a message.
    var isControl: Bool { rawValue >= 0x8 }
}
