public import OrderedJSON

/// The argument of the handler `http`, which each server has: the request to make.
///
///     .perform(
///         "http", id: "charge",
///         argument: HTTPRequest(
///             method: "POST", url: "https://pay.example/charges", body: ["amount": 5]),
///         then: "charged")
///
/// As JSON: `{"method":"POST","url":"https://…","headers":{"accept":"…"},"body":…,
/// "timeout_ms":5000,"accept_status":[404]}`; only `url` is required. A header may be a secret
/// of the server (``HTTPHeaderValue``).
///
/// The effect's result is an ``HTTPResponse``, for the statuses 200 to 299 and those in
/// ``acceptStatus``. After 408, 425, 429 and 500 to 599 the attempt has failed; the effect's
/// ``RetryPolicy`` decides about the next one, which waits at least for `Retry-After`. After any
/// other status the effect has failed, and the machine gets `effectFailed`.
public struct HTTPRequest: Codable, Hashable, Sendable {
    /// The method; `GET` by default.
    public var method: String
    /// The URL: `https`, or `http` if the server allows it. Without a user name; percent-encoded as
    /// RFC 3986 requires.
    public var url: String
    /// The headers: texts, or secrets of the server. `Host` and those about the connection and the
    /// length of the body can't be set. By default `Idempotency-Key` is the effect's key, and
    /// `Content-Type` of a body is `application/json`.
    public var headers: [String: HTTPHeaderValue]
    /// The body, sent as JSON; `nil` for none.
    public var body: JSONValue?
    /// The time limit in milliseconds, from the lookup of the name to the end of the answer; `nil`
    /// for the server's, which is 30 seconds by default.
    public var timeoutMilliseconds: Int64?
    /// Further statuses that are results, for example 404 or 409 if the machine handles them.
    public var acceptStatus: [Int]

    /// A request.
    public init(
        method: String = "GET", url: String, headers: [String: HTTPHeaderValue] = [:],
        body: JSONValue? = nil, timeoutMilliseconds: Int64? = nil, acceptStatus: [Int] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutMilliseconds = timeoutMilliseconds
        self.acceptStatus = acceptStatus
    }

    /// A request whose body is a value of any type.
    ///
    /// - Throws: The errors of encoding the body, for example for a number that isn't finite.
    public init(
        method: String = "POST", url: String, headers: [String: HTTPHeaderValue] = [:],
        encoding body: some Encodable, timeoutMilliseconds: Int64? = nil,
        acceptStatus: [Int] = []
    ) throws {
        self.init(
            method: method, url: url, headers: headers, body: try DurableArgument.json(body),
            timeoutMilliseconds: timeoutMilliseconds, acceptStatus: acceptStatus)
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case url
        case headers
        case body
        case timeoutMilliseconds = "timeout_ms"
        case acceptStatus = "accept_status"
    }

    /// Decodes a request; missing members have the initializer's defaults.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            method: try members.decodeIfPresent(String.self, forKey: .method) ?? "GET",
            url: try members.decode(String.self, forKey: .url),
            headers: try members.decodeIfPresent(
                [String: HTTPHeaderValue].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(JSONValue.self, forKey: .body),
            timeoutMilliseconds: try members.decodeIfPresent(
                Int64.self, forKey: .timeoutMilliseconds),
            acceptStatus: try members.decodeIfPresent([Int].self, forKey: .acceptStatus) ?? [])
    }

    /// Encodes a request without default values, except for the method.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(method, forKey: .method)
        try members.encode(url, forKey: .url)
        if !headers.isEmpty { try members.encode(headers, forKey: .headers) }
        try members.encodeIfPresent(body, forKey: .body)
        try members.encodeIfPresent(timeoutMilliseconds, forKey: .timeoutMilliseconds)
        if !acceptStatus.isEmpty { try members.encode(acceptStatus, forKey: .acceptStatus) }
    }
}
