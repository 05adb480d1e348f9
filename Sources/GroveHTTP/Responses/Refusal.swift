import GroveWire
import OrderedJSON

/// An answer that isn't a success: its status, and what its body says.
package struct Refusal: Error, Sendable {
    let status: Int
    /// `nil` for what only HTTP knows.
    let code: ErrorCode?
    let detail: String
    var isRetryable: Bool
    /// Milliseconds after which the request may be sent again.
    var retryAfter: Int64?
    /// `data` as JSON, an object; empty if there is none.
    var data: [UInt8] = []
    /// The methods that the path has.
    var allowed: [HTTPMethod] = []
    /// The origin of another page that may read the answer.
    var origin: [UInt8]?
    /// Whether the connection ends with the answer, because more of the request may follow.
    var endsConnection = false

    /// What only HTTP knows.
    init(_ status: Int, _ detail: String) {
        self.status = status
        code = nil
        self.detail = detail
        isRetryable = status == 503
    }

    /// The refusal of a request that isn't complete when its connection is closed for a reason;
    /// `nil` if nobody reads it, or if it was refused already.
    init?(ending reason: CloseReason) {
        switch reason {
        case .serverShutdown: self.init(.draining, ErrorCode.draining.meaning)
        case .revoked: self.init(.unauthenticated, "the token or identity was revoked")
        case .expired: self.init(.unauthenticated, "the token has expired")
        default: return nil
        }
        endsConnection = true
    }

    /// What the parser refuses; nothing that follows on the connection can be read.
    init(_ refusal: HTTPRefusal) {
        self.init(refusal.status, refusal.detail)
        endsConnection = true
    }

    /// An error of the protocol.
    init(_ code: ErrorCode, _ detail: String, data members: (inout JSONWriter) -> Void = { _ in }) {
        status = code.status
        self.code = code
        self.detail = detail
        isRetryable = code.isRetryable
        var writer = JSONWriter()
        writer.object(members)
        if writer.bytes.count > 2 { data = writer.bytes }
    }

    /// The refusal in a reply line of the protocol.
    ///
    /// - Parameter error: The member `error` of the line.
    init(_ document: JSONDocument, _ error: JSONDocument.Node, of exchange: Exchange) {
        let code =
            document.member("code", of: error).flatMap { document.string($0) }
            .flatMap(ErrorCode.init(rawValue:)) ?? .internalError
        self.code = code
        status =
            code == .versionConflict && exchange.expectation != nil
            ? HTTPStatus.preconditionFailed : code.status
        detail = document.member("message", of: error).flatMap { document.string($0) } ?? ""
        isRetryable = document.member("retry", of: error).flatMap { document.bool($0) } ?? false
        retryAfter = document.member("retry_after_ms", of: error).flatMap { document.integer($0) }
        guard let data = document.member("data", of: error) else { return }
        guard let at = document.member("at", of: data).flatMap({ document.string($0) }) else {
            self.data = document.text(data)
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (name, value) in document.members(of: data) {
                writer.comma()
                writer.raw(document.text(name))
                writer.bytes.append(UInt8(ascii: ":"))
                if document.stringEquals(name, "at") {
                    writer.string(exchange.place(of: at))
                } else {
                    writer.raw(document.text(value))
                }
            }
        }
        self.data = writer.bytes
    }

    /// The body, as `application/problem+json` (RFC 9457).
    func body(of path: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", code.map { "/v1/errors/\($0.rawValue)" } ?? "about:blank")
            writer.member("title", code?.title ?? "\(HTTPStatus.reason(status))")
            writer.member("status", Int64(status))
            writer.member("detail", detail)
            if !path.isEmpty {
                writer.member("instance", String(decoding: path, as: UTF8.self))
            }
            guard let code else { return }
            writer.member("code", code.rawValue)
            writer.member("retry", isRetryable)
            writer.member("retry_after_ms", retryAfter)
            writer.member("data", json: data.isEmpty ? nil : data)
        }
        return writer.bytes
    }
}
