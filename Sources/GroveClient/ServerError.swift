import GroveWire
import OrderedJSON

/// A refusal by the server: the `error` object of a reply (protocol.md, "Requests and replies").
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for programs, such as `VERSION_CONFLICT`. New words may appear.
    public let code: String
    /// A sentence for people.
    public let message: String
    /// Whether the same request may succeed later without anything else having changed.
    public let isRetryable: Bool
    /// The wait before a retry that the server asks for, if it knows one.
    public let retryAfter: Duration?
    /// More about the error, such as `{"v":45}`; `nil` for codes without data.
    public let data: JSONValue?
    /// The whole `error` object exactly as the server wrote it.
    public let text: [UInt8]

    /// Reads the `error` object of a reply. A member that is missing or of another type gets the
    /// value that promises least: the code `INTERNAL`, an empty message, no retry.
    package init(_ document: JSONDocument, at node: JSONDocument.Node) {
        let fields = Fields(document, node)
        code = fields.string("code") ?? ErrorCode.internalError.rawValue
        message = fields.string("message") ?? ""
        isRetryable = fields.bool("retry") ?? false
        retryAfter = fields.integer("retry_after_ms").map { .milliseconds($0) }
        data = fields.value("data")
        text = document.text(node)
    }

    /// The code, if it is one that this version of the client knows.
    package var known: ErrorCode? { ErrorCode(rawValue: code) }

    /// Whether the request was certainly not carried out.
    var isDefinite: Bool { known?.isDefinite ?? true }

    /// The code and the sentence.
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }
}
