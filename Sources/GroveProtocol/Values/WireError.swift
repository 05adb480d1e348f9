public import GroveWire
public import OrderedJSON

/// One error as it stands in a reply: a code of the closed list, a sentence for people, and what
/// a program may want to know (protocol.md, "Requests and replies").
public struct WireError: Error, Sendable, Equatable {
    /// The code, which is the contract.
    public var code: ErrorCode
    /// What is wrong, for people; holds no payload.
    public var message: String
    /// Whether the same request may be sent again: of the code, but for a `TIMEOUT` after which
    /// that would be another event.
    public var isRetryable: Bool
    /// Whether the line is no request at all, as opposed to one with a wrong field. Only JSON-RPC
    /// tells the two apart.
    public var isNoRequest = false
    /// The error's `data` as JSON, an object; empty when there is none.
    public var data: [UInt8]

    /// An error without data.
    public init(_ code: ErrorCode, _ message: String) {
        self.code = code
        self.message = message
        isRetryable = code.isRetryable
        data = []
    }

    /// An error with data; `members` writes the members of the object without its braces.
    public init(_ code: ErrorCode, _ message: String, data members: (inout JSONWriter) -> Void) {
        self.init(code, message)
        var writer = JSONWriter()
        writer.object(members)
        data = writer.bytes
    }

    /// An error about the value at `path`, a path from the line's root.
    public init(_ code: ErrorCode, at path: String, _ message: String) {
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

    /// Appends `"error":{…}`, behind a comma where members come before it.
    public func append(to writer: inout JSONWriter) {
        writer.object("error") { writer in
            writer.member("code", code.rawValue)
            writer.member("message", message)
            writer.member("retry", isRetryable)
            writer.member("data", json: data.isEmpty ? nil : data)
        }
    }
}
