import OrderedJSON
import Transducers

/// One request on the wire: the first one, or one after a redirect.
struct HTTPHop: Sendable {
    var url: HTTPURL
    var method: String
    /// The headers, sorted, with names in lower case.
    var headers: [(name: String, value: String)]
    var body: [UInt8]?
    /// The names of headers that have the value of a secret.
    var secretHeaders: Set<String> = []

    /// Prepares a request for the wire.
    ///
    /// - Parameters:
    ///   - key: The idempotency key.
    ///   - traceparent: The trace of what caused the request; `nil` for none.
    ///   - secrets: The secrets that headers may have.
    ///   - machine: The machine that asks; `nil` outside of a server.
    /// - Throws: `PermanentFailure` for a request that can't be sent, a header that would change
    ///   more than itself, or a secret that isn't for this request.
    init(
        _ request: HTTPRequest, key: String, traceparent: String? = nil,
        secrets: EffectSecrets = EffectSecrets(), machine: String? = nil
    ) throws(PermanentFailure) {
        do {
            url = try HTTPURL(request.url)
        } catch {
            throw PermanentFailure("the request's URL \(error.reason)")
        }
        guard Self.isToken(request.method),
            !["CONNECT", "TRACE"].contains(request.method.uppercased())
        else {
            throw PermanentFailure("the request's method is none that can be sent")
        }
        method = request.method
        body = request.body?.serialized()
        var values: [String: String] = [:]
        for (name, value) in request.headers {
            let lowercased = name.lowercased()
            let text: String
            switch value {
            case .text(let value): text = value
            case .secret(let secret, let prefix):
                text = prefix + (try secrets.value(of: secret, for: url, machine: machine))
                secretHeaders.insert(lowercased)
            }
            guard Self.isToken(name), Self.isValue(text), values[lowercased] == nil else {
                throw PermanentFailure("a header of the request is malformed or given twice")
            }
            guard !Self.reserved.contains(lowercased) else {
                throw PermanentFailure("the header \(lowercased) isn't the caller's to set")
            }
            values[lowercased] = text
        }
        if values["idempotency-key"] == nil { values["idempotency-key"] = key }
        if values["traceparent"] == nil { values["traceparent"] = traceparent }
        if body != nil, values["content-type"] == nil {
            values["content-type"] = "application/json"
        }
        headers = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The value of a header of a name in lower case.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The request that follows a redirect; `nil` for other answers.
    ///
    /// Like RFC 9110 and browsers: after 303, and after 301 and 302 to a POST, a GET without a body
    /// follows. Another origin gets only headers that can't have a secret.
    ///
    /// - Throws: `PermanentFailure` for a location that is no URL.
    func following(status: Int, location: String?) throws(PermanentFailure) -> HTTPHop? {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return nil }
        var next = self
        do {
            next.url = try url.resolving(location)
        } catch {
            throw PermanentFailure("the server redirects to a URL that \(error.reason)")
        }
        if (status == 303 && method != "HEAD") || (status < 303 && method == "POST") {
            next.method = "GET"
            next.body = nil
            next.headers.removeAll { $0.name.hasPrefix("content-") }
        }
        if !next.url.hasOrigin(of: url) {
            next.headers.removeAll {
                !Self.harmless.contains($0.name) || secretHeaders.contains($0.name)
            }
            next.secretHeaders = []
        }
        return next
    }

    /// Headers about the destination, the end of the request, or the connection.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    private static let harmless: Set<String> = [
        "accept", "accept-language", "content-type", "idempotency-key", "user-agent",
    ]

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch Unicode.Scalar(byte) {
                case "a"..."z", "A"..."Z", "0"..."9": true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }
    }
}
