import OrderedJSON
import Testing

/// A document of `text`.
func parsed(
    _ text: String, limits: JSONLimits = .standard
) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8), limits: limits)
}

/// The error with which `bytes` are refused; nil, and a failed test, if they are accepted.
func refusal(
    of bytes: [UInt8], limits: JSONLimits = .standard,
    sourceLocation: SourceLocation = #_sourceLocation
) -> JSONError? {
    do {
        _ = try JSONDocument(parsing: bytes, limits: limits)
        Issue.record("accepted: \(shown(bytes))", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error
    }
}

/// The error with which `text` is refused.
func refusal(
    of text: String, limits: JSONLimits = .standard,
    sourceLocation: SourceLocation = #_sourceLocation
) -> JSONError? {
    refusal(of: Array(text.utf8), limits: limits, sourceLocation: sourceLocation)
}

/// The beginning of a text, for messages.
func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(200), as: UTF8.self)
}

/// `text` as many times as said.
func repeated(_ text: String, _ times: Int) -> String { String(repeating: text, count: times) }
