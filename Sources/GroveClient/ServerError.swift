import GroveWire
import OrderedJSON

/// A refusal by the server: the `error` object of a reply (protocol.md, "Requests and replies").
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word that programs decide by, such as `VERSION_CONFLICT`. New words may appear.
    public let code: String
    /// A sentence for people.
    public let message: String
    /// Whether the same request may succeed later without anything else having changed.
    public let isRetryable: Bool
    /// How long the server asks to wait before a retry, where it knows.
    public let retryAfter: Duration?
    /// What belongs to the code, such as `{"v":45}`; `nil` when the code has nothing to add.
    public let data: JSONValue?
    /// The whole `error` object exactly as the server wrote it.
    public let text: [UInt8]

    /// Reads the `error` object of a reply. What is missing or of another type gets the value
    /// that promises least: the code `INTERNAL`, an empty message, no retry.
    init(_ document: JSONDocument, at node: JSONDocument.Node) {
        code =
            document.member("code", of: node).flatMap(document.string)
            ?? ErrorCode.internalError.rawValue
        message = document.member("message", of: node).flatMap(document.string) ?? ""
        isRetryable = document.member("retry", of: node).flatMap(document.bool) ?? false
        retryAfter = document.member("retry_after_ms", of: node).flatMap(document.integer)
            .map { .milliseconds($0) }
        data = document.member("data", of: node).map(document.value)
        text = document.text(node)
    }

    /// The code, if it is one that this version of the client knows.
    package var known: ErrorCode? { ErrorCode(rawValue: code) }

    /// Whether it says for certain that the request was not carried out.
    var isDefinite: Bool { known?.isDefinite ?? true }

    /// The code and the sentence.
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }
}
