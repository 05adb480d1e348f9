public import OrderedJSON

/// What the handler `http`, which every server has, gets: the request to make.
///
///     .perform(
///         "http", id: "charge",
///         argument: HTTPRequest(
///             method: "POST", url: "https://pay.example/charges", body: ["amount": 5]),
///         then: "charged")
///
/// As JSON: `{"method":"POST","url":"https://…","headers":{"accept":"…"},"body":…,
/// "timeout_ms":5000,"accept_status":[404]}`, of which only `url` has to be there.
///
/// The effect's result is an ``HTTPResponse``. It has one for the statuses 200 to 299 and those in
/// ``acceptStatus``. With 408, 425, 429 and 500 to 599 the try has failed, and is made again as
/// the effect's ``RetryPolicy`` says, not before the time that a `Retry-After` names. With every
/// other status the effect has failed for good, and the machine learns it by `effectFailed`.
public struct HTTPRequest: Codable, Hashable, Sendable {
    /// `GET` unless said.
    public var method: String
    /// Where it goes: `https`, or `http` where that is allowed. Without a user name; with
    /// everything percent-encoded that RFC 3986 wants so.
    public var url: String
    /// Headers to send. `Host` and those about the connection and the length of the body are
    /// not the caller's. `Idempotency-Key` is the effect's key unless said, and `Content-Type` of a
    /// body `application/json`.
    public var headers: [String: String]
    /// The body, sent as JSON; `nil` for none.
    public var body: JSONValue?
    /// How long it may take, in milliseconds, from looking up the name to the end of the answer;
    /// `nil` for what the server says, 30 seconds unless set.
    public var timeoutMilliseconds: Int64?
    /// Statuses that are results besides 200 to 299, say 404 where there may be nothing, or 409
    /// where the machine decides about it.
    public var acceptStatus: [Int]

    /// A request.
    public init(
        method: String = "GET", url: String, headers: [String: String] = [:],
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
    /// - Throws: What writing the body as JSON throws, say for a number that isn't finite.
    public init(
        method: String = "POST", url: String, headers: [String: String] = [:],
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

    /// Reads a request; what is missing is as in the initializer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            method: try members.decodeIfPresent(String.self, forKey: .method) ?? "GET",
            url: try members.decode(String.self, forKey: .url),
            headers: try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:],
            body: try members.decodeIfPresent(JSONValue.self, forKey: .body),
            timeoutMilliseconds: try members.decodeIfPresent(
                Int64.self, forKey: .timeoutMilliseconds),
            acceptStatus: try members.decodeIfPresent([Int].self, forKey: .acceptStatus) ?? [])
    }

    /// Writes a request; what is as in the initializer is left out, but for the method.
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
