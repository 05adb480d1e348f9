/// The bytes before a frame's payload (RFC 6455, section 5.2), read one at a time; each is refused
/// as soon as it can't be right.
struct WebSocketFrameHeader: Sendable {
    /// What a header is judged by.
    struct Surroundings {
        /// Whether the message that began in an earlier frame continues.
        var isWithinMessage: Bool
        /// The bytes by which a message may still grow.
        var roomBytes: Int
    }

    private(set) var opcode = WebSocketOpcode.continuation
    /// Whether it is the last frame of its message.
    private(set) var isFinal = false
    private(set) var payloadBytes: UInt64 = 0
    private(set) var mask = WebSocketMask()
    /// The bytes that were read.
    private var count: UInt8 = 0
    /// The bytes up to the end of the length: 2, 4 or 10.
    private var lengthEnd: UInt8 = 2

    /// Whether a byte was read.
    var hasBegun: Bool { count > 0 }

    /// Whether the next byte belongs to the payload.
    var isComplete: Bool { count == lengthEnd + 4 }

    /// Reads the next byte, of a header that isn't complete.
    mutating func accept(
        _ byte: UInt8, in surroundings: Surroundings
    ) throws(WebSocketFailure) {
        count += 1
        switch count {
        case 1: try acceptOpcode(byte, in: surroundings)
        case 2: try acceptLength(byte, in: surroundings)
        case ...lengthEnd:
            payloadBytes = payloadBytes << 8 | UInt64(byte)
            if count == lengthEnd { try checkLongLength(in: surroundings) }
        default: mask.append(byte)
        }
    }

    private mutating func acceptOpcode(
        _ byte: UInt8, in surroundings: Surroundings
    ) throws(WebSocketFailure) {
        guard byte & 0x70 == 0 else { throw .violation("a reserved bit is set") }
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else {
            throw .violation("the opcode is unknown")
        }
        self.opcode = opcode
        isFinal = byte & 0x80 != 0
        switch opcode {
        case .close, .ping, .pong:
            guard isFinal else { throw .violation("a control frame is fragmented") }
        case .continuation:
            guard surroundings.isWithinMessage else {
                throw .violation("no message is there to continue")
            }
        case .text, .binary:
            guard !surroundings.isWithinMessage else {
                throw .violation("a message begins within another")
            }
            guard opcode == .text else { throw .binary }
        }
    }

    private mutating func acceptLength(
        _ byte: UInt8, in surroundings: Surroundings
    ) throws(WebSocketFailure) {
        guard byte & 0x80 != 0 else { throw .violation("the frame isn't masked") }
        let length = byte & 0x7F
        guard !opcode.isControl || length <= WebSocketLimits.controlBytesMax else {
            throw .violation("a control frame is longer than 125 bytes")
        }
        switch length {
        case 126: lengthEnd = 4
        case 127: lengthEnd = 10
        default:
            payloadBytes = UInt64(length)
            try checkRoom(in: surroundings)
        }
    }

    private func checkLongLength(in surroundings: Surroundings) throws(WebSocketFailure) {
        guard payloadBytes <= UInt64(Int64.max) else {
            throw .violation("the highest bit of a length is set")
        }
        guard payloadBytes > (lengthEnd == 4 ? 125 : 0xFFFF) else {
            throw .violation("a length isn't in its shortest form")
        }
        try checkRoom(in: surroundings)
    }

    private func checkRoom(in surroundings: Surroundings) throws(WebSocketFailure) {
        guard opcode.isControl || payloadBytes <= UInt64(surroundings.roomBytes) else {
            throw .tooLarge
        }
    }
}
