public import OrderedJSON

/// The result of the handler `http`: the answer to an ``HTTPRequest``, with a status that the
/// request accepts.
///
///     static func effectResult(_ result: EffectResult) throws -> Event? {
///         let response: HTTPResponse = try result.decoded()
///         let charge: Charge = try response.decodedBody()
///         return .charged(id: charge.id)
///     }
///
/// As JSON: `{"status":200,"headers":{"content-type":"…"},"body":…}`. With `then: "charged"`, it is
/// the value of the event's case `charged(HTTPResponse)`.
public struct HTTPResponse: Codable, Hashable, Sendable {
    /// The status: 200 to 299, or one that the request accepts.
    public var status: Int
    /// The headers, with names in lower case; repeated ones are joined by `, `.
    public var headers: [String: String]
    /// The value if the body is JSON, a string if it is other text, and `null` if it is empty.
    public var body: JSONValue

    /// An answer, for tests of machines that get one.
    public init(status: Int = 200, headers: [String: String] = [:], body: JSONValue = .null) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Decodes an answer. Default: no headers, and the body `null`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: try members.decode(Int.self, forKey: .status),
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(JSONValue.self, forKey: .body) ?? .null)
    }

    /// Decodes the body.
    ///
    /// - Throws: `JSONDecodingError`.
    public func decodedBody<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try EffectResult(id: nil, then: nil, value: body).decoded(as: type)
    }
}
