/// The head of a request that was accepted.
public struct HTTPRequestHead: Sendable {
    /// How long the body is.
    public enum Body: Sendable, Equatable {
        case none
        /// A number of bytes, at least 1.
        case length(Int)
        case chunked
    }

    /// The method.
    public var method: HTTPMethod
    /// The path as it was sent, beginning with a slash; `*` for the server as a whole.
    public var path: [UInt8]
    /// What stands after the first `?`, as it was sent.
    public var query: [UInt8]?
    /// The value of `Host`: a valid host, and a port if there is one.
    public var host: ArraySlice<UInt8>
    /// Whether the client speaks HTTP/1.0.
    public var isVersion10: Bool
    /// Whether the connection stays open after the answer.
    public var keepsAlive: Bool
    /// How long the body is.
    public var body: Body
    /// Whether the client waits for `100 Continue` before it sends the body.
    public var expectsContinue: Bool
    /// The fields in their order.
    public var fields: HTTPFields

    /// Whether the client takes an answer that is compressed by gzip (RFC 9110, 12.5.3).
    var takesGzip: Bool {
        all("accept-encoding").contains { field in
            field.value.split(separator: UInt8(ascii: ",")).contains { coding in
                let parts = coding.filter { $0 != 0x20 && $0 != 0x09 }
                    .split(separator: UInt8(ascii: ";"))
                guard let name = parts.first, HTTPBytes.isWord(name, "gzip") else { return false }
                // A weight of zero says no: `q=0`, `q=0.000`.
                return !parts.dropFirst().contains { weight in
                    HTTPBytes.isWord(weight.prefix(3), "q=0")
                        && weight.dropFirst(3).allSatisfy { $0 == 0x2E || $0 == 0x30 }
                }
            }
        }
    }

    /// The bytes of its parts.
    var byteCount: Int {
        path.count + (query?.count ?? 0) + fields.byteCount
    }

    /// The first field of a name in lower case.
    public func first(_ name: StaticString) -> HTTPField? {
        fields.index(of: name).map { fields[$0] }
    }

    /// Whether there is a field of a name in lower case.
    func has(_ name: StaticString) -> Bool { fields.index(of: name) != nil }

    /// The field of a name in lower case, if there is exactly one.
    func only(_ name: StaticString) -> HTTPField? {
        guard let index = fields.index(of: name),
            fields.index(of: name, from: index + 1) == nil
        else { return nil }
        return fields[index]
    }

    /// All fields of a name in lower case.
    public func all(_ name: StaticString) -> [HTTPField] {
        var found: [HTTPField] = []
        var start = 0
        while let index = fields.index(of: name, from: start) {
            found.append(fields[index])
            start = index + 1
        }
        return found
    }

    /// Whether the client wants to speak WebSocket (RFC 6455, section 4.2.1).
    public var isUpgradeToWebSocket: Bool {
        all("connection").contains { $0.lists("upgrade") }
            && all("upgrade").contains { $0.lists("websocket") }
    }
}
