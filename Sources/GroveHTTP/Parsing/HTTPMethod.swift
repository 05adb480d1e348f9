/// A method of a request (RFC 9110, section 9).
public enum HTTPMethod: Sendable, Hashable {
    case get, head, post, put, delete, options
    /// Another token.
    case other([UInt8])

    /// The method that a token names. Letters' case matters.
    init(_ token: Span<UInt8>) {
        let range = 0..<token.count
        self =
            switch token.count {
            case 3 where HTTPBytes.isText(token, range, "GET"): .get
            case 3 where HTTPBytes.isText(token, range, "PUT"): .put
            case 4 where HTTPBytes.isText(token, range, "POST"): .post
            case 4 where HTTPBytes.isText(token, range, "HEAD"): .head
            case 6 where HTTPBytes.isText(token, range, "DELETE"): .delete
            case 7 where HTTPBytes.isText(token, range, "OPTIONS"): .options
            default: .other(HTTPBytes.copy(token, range))
            }
    }

    /// The token.
    public var text: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let token): String(decoding: token, as: UTF8.self)
        }
    }

    /// Whether a request with this method may have a body.
    var mayHaveBody: Bool {
        switch self {
        case .get, .head, .delete, .options: false
        case .post, .put, .other: true
        }
    }
}
