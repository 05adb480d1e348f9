/// The secret with which a client proves who it is: the text that `grove token create` shows once.
///
/// Descriptions, `dump` and mirrors of it, and of options that hold it, show that there is a token
/// and nothing of its text. It isn't `Codable`; ``text`` is the only way to read it.
public struct ClientToken: Hashable, Sendable {
    /// The secret. A client that has it is its principal: don't print it, and don't write it to a
    /// log.
    public let text: String

    /// A token of a text, without a newline at its end. Only the server knows whether it is one.
    public init(_ text: String) { self.text = text }

    /// Instead of the text.
    static let shown = "(a token)"
}

extension ClientToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same words for every token.
    public var description: String { Self.shown }

    /// The same words for every token.
    public var debugDescription: String { Self.shown }

    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
