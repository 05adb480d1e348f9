import GroveWire
import OrderedJSON

/// The error of a reply: a code of the closed list, a sentence for people, and data for programs
/// (protocol.md, "Requests and replies").
package struct WireError: Error, Sendable, Equatable {
    package var code: ErrorCode
    /// The message for people; contains no payload.
    package var message: String
    /// Whether the same request may be sent again: as the code says, except after a `TIMEOUT` where
    /// that would be another event.
    package var isRetryable: Bool
    /// Milliseconds to wait before that, if they are known.
    package var retryAfter: Int64?
    /// Whether the line is no request at all, as opposed to one with a wrong field. Only JSON-RPC
    /// distinguishes the two.
    package var isNoRequest = false
    /// The error's `data` as JSON, an object; empty when there is none.
    package var data: [UInt8]

    package init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
        isRetryable = code.isRetryable
        data = []
    }

    package init(_ code: ErrorCode, _ message: String, data members: (inout JSONWriter) -> Void) {
        self.init(code, message)
        var writer = JSONWriter()
        writer.object(members)
        data = writer.bytes
    }

    package init(_ code: ErrorCode, at path: String, _ message: String) {
        self.init(code, message) { data in
            data.member("at", path)
        }
    }

    /// `BAD_REQUEST` about the value at `path`.
    static func badRequest(_ path: String, _ message: String) -> WireError {
        WireError(.badRequest, at: path, message)
    }

    /// `BAD_REQUEST` of a line that is no request, about the value at `path`.
    static func noRequest(_ path: String, _ message: String) -> WireError {
        var error = badRequest(path, message)
        error.isNoRequest = true
        return error
    }

    /// `RATE_LIMITED`: what can't wait and was refused, and when to try again.
    package static func rateLimited(_ message: String, retryAfter: Int64) -> WireError {
        var error = WireError(.rateLimited, message)
        error.retryAfter = retryAfter
        return error
    }

    /// Appends `"error":{…}`, after a comma where members precede it.
    package func append(to writer: inout JSONWriter) {
        writer.object("error") { writer in
            writer.member("code", code.rawValue)
            writer.member("message", message)
            writer.member("retry", isRetryable)
            writer.member("retry_after_ms", retryAfter)
            writer.member("data", json: data.isEmpty ? nil : data)
        }
    }
}
