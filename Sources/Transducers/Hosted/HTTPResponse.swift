public import OrderedJSON

/// What the handler `http` gives: the answer to an ``HTTPRequest``, with a status that the request
/// accepts.
///
///     static func effectResult(_ result: EffectResult) throws -> Event? {
///         let response: HTTPResponse = try result.decoded()
///         let charge: Charge = try response.decodedBody()
///         return .charged(id: charge.id)
///     }
///
/// As JSON: `{"status":200,"headers":{"content-type":"…"},"body":…}`. Where the effect says
/// `then: "charged"`, it is the value of the event's case `charged(HTTPResponse)`.
public struct HTTPResponse: Codable, Hashable, Sendable {
    /// From 200 to 299, or one that the request accepts besides.
    public var status: Int
    /// Names in lower case; several of one name are joined by `, `.
    public var headers: [String: String]
    /// The value if the body is JSON, a string if it is other text, and `null` if it is empty.
    public var body: JSONValue

    /// An answer, for tests of machines that get one.
    public init(status: Int = 200, headers: [String: String] = [:], body: JSONValue = .null) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Reads an answer; without headers there are none, and without a body it is `null`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: try members.decode(Int.self, forKey: .status),
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(JSONValue.self, forKey: .body) ?? .null)
    }

    /// The body in a type of one's own.
    ///
    /// - Throws: `JSONDecodingError`.
    public func decodedBody<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try EffectResult(id: nil, then: nil, value: body).decoded(as: type)
    }
}
