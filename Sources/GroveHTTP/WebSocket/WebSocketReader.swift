/// Turns the bytes of a client into messages (RFC 6455), resumable at any byte: it unmasks them,
/// joins fragments, and checks all that the standard and one line per message ask of a client.
///
/// Work is linear in the bytes given. A payload is copied once, into ``message`` or ``control``,
/// and unmasked and checked there. Memory is bounded by the largest message allowed and a control
/// frame; a length alone reserves nothing. Fragments have no bound of their own: each takes at
/// least six bytes of the client, an empty one leaves nothing behind, and ``isInsideMessage`` stays
/// true until the last one, so that a bound on the time of a message holds for them all.
public struct WebSocketReader: Sendable {
    /// The meaning of the next bytes.
    public enum Step: Equatable, Sendable {
        /// A message, perhaps an empty one; ``WebSocketReader/message`` has its text.
        case text
        /// A ping; ``WebSocketReader/control`` has the payload of the pong that answers it.
        case ping
        /// A pong; ``WebSocketReader/control`` has its payload.
        case pong
        /// The client closes, with a code that may be sent or none: answer with the same.
        /// ``WebSocketReader/control`` has its reason, as UTF-8.
        case close(code: Int?)
        /// The client broke the rules: close with this code.
        case failure(WebSocketFailure)
        /// The chunk has nothing more.
        case needsMore
    }

    private let messageBytesMax: Int

    /// The text of the message that ``next(in:from:)`` just returned, until its next call; UTF-8
    /// without a newline.
    public private(set) var message: [UInt8] = []

    /// The payload of the control frame that ``next(in:from:)`` just returned, until its next call;
    /// at most 125 bytes.
    public private(set) var control: [UInt8] = []

    /// The header of the present frame.
    private var header = WebSocketFrameHeader()
    /// The bytes of its payload that are missing, once its header is complete.
    private var payloadRest = 0
    private var mask = WebSocketMask()
    private var check = WebSocketTextCheck()
    /// Whether a message has begun and its last frame hasn't.
    private var isWithinFragments = false
    private var isMessageReturned = false
    private var hasEnded = false

    /// A reader at the beginning of a connection, after the handshake.
    ///
    /// - Parameter messageBytesMax: Bytes of the largest message; not negative.
    public init(messageBytesMax: Int) {
        precondition(messageBytesMax >= 0, "a message can't have less than no bytes")
        self.messageBytesMax = messageBytesMax
    }

    /// Whether the stream is within a frame, or between the fragments of a message.
    public var isInsideMessage: Bool { isWithinFragments || header.hasBegun }

    /// Bytes held of messages and control frames.
    public var carriedBytes: Int { message.count + control.count }

    /// Reads `chunk` from `position` on and moves `position` after the bytes of the step. Call it
    /// until it returns ``Step/needsMore``. After ``Step/close(code:)`` or ``Step/failure(_:)`` it
    /// skips everything.
    public mutating func next(
        in chunk: UnsafeRawBufferPointer, from position: inout Int
    ) -> Step {
        dropReturned()
        guard !hasEnded else {
            position = chunk.count
            return .needsMore
        }
        do throws(WebSocketFailure) {
            let step = try read(chunk, from: &position)
            if case .close = step { end() }
            return step
        } catch {
            end()
            control = []
            return .failure(error)
        }
    }

    /// Frees memory between two messages.
    public mutating func releaseIdleMemory() {
        guard !isInsideMessage else { return }
        message = []
        control = []
    }

    /// Removes what the last call returned; what a message needed beyond the usual is freed.
    private mutating func dropReturned() {
        if isMessageReturned {
            isMessageReturned = false
            message.removeAll(
                keepingCapacity: message.capacity <= WebSocketLimits.idleBytesMax)
        }
        if !header.hasBegun && !control.isEmpty { control.removeAll(keepingCapacity: true) }
    }

    /// Ends reading: nothing more of the client means anything.
    private mutating func end() {
        hasEnded = true
        isWithinFragments = false
        header = WebSocketFrameHeader()
        message = []
    }

    private mutating func read(
        _ chunk: UnsafeRawBufferPointer, from position: inout Int
    ) throws(WebSocketFailure) -> Step {
        while position < chunk.count {
            if !header.isComplete {
                try readHeader(chunk, from: &position)
                guard header.isComplete else { return .needsMore }
                payloadRest = Int(header.payloadBytes)
                mask = header.mask
            }
            let end = position + min(payloadRest, chunk.count - position)
            try readPayload(UnsafeRawBufferPointer(rebasing: chunk[position..<end]))
            payloadRest -= end - position
            position = end
            guard payloadRest == 0 else { return .needsMore }
            let opcode = header.opcode
            let isFinal = header.isFinal
            header = WebSocketFrameHeader()
            switch opcode {
            case .ping: return .ping
            case .pong: return .pong
            case .close: return .close(code: try takeCloseCode())
            case .continuation, .text, .binary:
                isWithinFragments = !isFinal
                if isFinal { return try finishMessage() }
            }
        }
        return .needsMore
    }

    private mutating func readHeader(
        _ chunk: UnsafeRawBufferPointer, from position: inout Int
    ) throws(WebSocketFailure) {
        let surroundings = WebSocketFrameHeader.Surroundings(
            isWithinMessage: isWithinFragments, roomBytes: messageBytesMax - message.count)
        while position < chunk.count, !header.isComplete {
            try header.accept(chunk[position], in: surroundings)
            position += 1
        }
    }

    private mutating func readPayload(
        _ payload: UnsafeRawBufferPointer
    ) throws(WebSocketFailure) {
        if header.opcode.isControl {
            _ = mask.append(payload, to: &control)
        } else {
            let start = mask.append(payload, to: &message)
            let failure = message.withUnsafeBytes {
                check.accept(UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            if let failure { throw failure }
        }
    }

    private mutating func finishMessage() throws(WebSocketFailure) -> Step {
        guard check.isComplete else { throw .badText }
        isMessageReturned = true
        return .text
    }

    /// Checks the payload of a close frame and leaves its reason in ``control`` (RFC 6455, sections
    /// 5.5.1 and 7.4).
    private mutating func takeCloseCode() throws(WebSocketFailure) -> Int? {
        guard !control.isEmpty else { return nil }
        guard control.count >= 2 else { throw .violation("a close frame has half a code") }
        let code = Int(control[0]) << 8 | Int(control[1])
        guard WebSocketWriter.isSendable(code) else {
            throw .violation("a close frame has a code that isn't sent")
        }
        control.removeFirst(2)
        guard String(validating: control, as: UTF8.self) != nil else { throw .badText }
        return code
    }
}
