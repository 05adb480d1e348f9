/// What a client did against RFC 6455, or against the rules for messages.
public struct WebSocketFailure: Error, Sendable, Equatable {
    /// The code of the close frame that says so (RFC 6455, section 7.4.1).
    public let code: Int

    /// A sentence for the close frame, of at most 123 bytes, without anything that the client sent.
    public let reason: String

    /// A failure with a code that may be sent.
    public init(code: Int, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The frames aren't those of RFC 6455.
    static func violation(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1002, reason: reason)
    }

    /// A message of bytes, which mean nothing here.
    static let binary = WebSocketFailure(code: 1003, reason: "messages are text")

    /// Bytes that are no UTF-8.
    static let badText = WebSocketFailure(code: 1007, reason: "the text is no UTF-8")

    /// A message that would be two lines.
    static let newline = WebSocketFailure(
        code: 1007, reason: "a message is one line, without a newline")

    /// A message larger than allowed.
    static let tooLarge = WebSocketFailure(code: 1009, reason: "the message is too large")
}
