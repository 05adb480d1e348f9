/// A method of a request (RFC 9110, section 9).
public enum HTTPMethod: Sendable, Hashable {
    case get, head, post, put, delete, options
    /// Another token.
    case other([UInt8])

    /// The method that a token names.
    init(_ token: some Collection<UInt8>) {
        let known: [HTTPMethod] = [.get, .post, .put, .delete, .head, .options]
        self = known.first { token.elementsEqual($0.text.utf8) } ?? .other(Array(token))
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
}
