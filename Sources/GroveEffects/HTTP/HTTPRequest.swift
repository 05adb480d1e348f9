public import OrderedJSON
import Transducers

/// What the handler `http` gets: the request to make.
///
/// As JSON: `{"method":"POST","url":"https://…","headers":{"Accept":"…"},"body":…,
/// "timeout_ms":5000}`, of which only `url` has to be there.
public struct HTTPRequest: Codable, Hashable, Sendable {
    /// `GET` unless said.
    public var method: String
    /// Where it goes: `https`, or `http` where that is allowed. Without a user name; with
    /// everything percent-encoded that RFC 3986 wants so.
    public var url: String
    /// Headers to send. `Host` and those about the connection and the length of the body are
    /// not the caller's.
    public var headers: [String: String]
    /// The body, sent as JSON; `nil` for none.
    public var body: JSONValue?
    /// How long it may take, in milliseconds; `nil` for what ``HTTPOptions/timeout`` says.
    public var timeoutMilliseconds: Int64?

    /// Puts a request together.
    public init(
        method: String = "GET", url: String, headers: [String: String] = [:],
        body: JSONValue? = nil, timeoutMilliseconds: Int64? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case url
        case headers
        case body
        case timeoutMilliseconds = "timeout_ms"
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
                Int64.self, forKey: .timeoutMilliseconds))
    }

    /// Reads a handler's argument.
    ///
    /// - Throws: `PermanentFailure`: it will not fit better the next time.
    init(argument: JSONValue) throws(PermanentFailure) {
        do {
            let document = try JSONDocument(parsing: argument.serialized())
            self = try JSONCoding.decode(HTTPRequest.self, from: document, at: document.root)
        } catch {
            throw PermanentFailure("the argument is no request: \(error)")
        }
    }
}
