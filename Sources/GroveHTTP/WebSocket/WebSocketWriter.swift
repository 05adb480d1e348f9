/// Writes the frames of a server: never masked, never fragmented (RFC 6455, section 5).
public enum WebSocketWriter {
    /// Appends what stands before a payload, with the shortest form of its length.
    ///
    /// - Parameter payloadBytes: The bytes of the payload, which the caller appends; of a control
    ///   frame at most 125.
    public static func appendHeader(
        opcode: WebSocketOpcode, payloadBytes: Int, to bytes: inout [UInt8]
    ) {
        precondition(
            payloadBytes >= 0
                && (!opcode.isControl || payloadBytes <= WebSocketLimits.controlBytesMax),
            "a control frame has at most 125 bytes")
        bytes.append(0x80 | opcode.rawValue)
        let lengthBytes: Int
        switch payloadBytes {
        case ...125:
            bytes.append(UInt8(payloadBytes))
            return
        case ...0xFFFF:
            bytes.append(126)
            lengthBytes = 2
        default:
            bytes.append(127)
            lengthBytes = 8
        }
        for index in (0..<lengthBytes).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: payloadBytes >> (8 * index)))
        }
    }

    /// Appends a close frame.
    ///
    /// - Parameters:
    ///   - code: One that may be sent; `nil`, and then no reason, answers a client that gave none.
    ///   - reason: A sentence; cut after the last character that ends within 123 bytes.
    public static func appendClose(code: Int?, reason: String, to bytes: inout [UInt8]) {
        guard let code else { return appendHeader(opcode: .close, payloadBytes: 0, to: &bytes) }
        precondition(isSendable(code), "\(code) isn't sent in a close frame")
        let reason = beginning(of: reason)
        appendHeader(opcode: .close, payloadBytes: 2 + reason.count, to: &bytes)
        bytes.append(UInt8(code >> 8))
        bytes.append(UInt8(code & 0xFF))
        bytes += reason
    }

    /// Appends a ping with a payload of at most 125 bytes.
    public static func appendPing(_ payload: [UInt8], to bytes: inout [UInt8]) {
        appendHeader(opcode: .ping, payloadBytes: payload.count, to: &bytes)
        bytes += payload
    }

    /// Appends a pong; the answer to a ping has its payload, of at most 125 bytes.
    public static func appendPong(_ payload: [UInt8], to bytes: inout [UInt8]) {
        appendHeader(opcode: .pong, payloadBytes: payload.count, to: &bytes)
        bytes += payload
    }

    /// Whether a code may stand in a close frame: those that are defined and not reserved for what
    /// is never sent, and those for libraries and applications (RFC 6455, section 7.4; 1012 to 1014
    /// are in IANA's registry).
    static func isSendable(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// As much of a text as fits in a close frame, without a part of a character.
    private static func beginning(of text: String) -> ArraySlice<UInt8> {
        let bytes = Array(text.utf8)
        guard bytes.count > WebSocketLimits.reasonBytesMax else { return bytes[...] }
        var end = WebSocketLimits.reasonBytesMax
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end]
    }
}
