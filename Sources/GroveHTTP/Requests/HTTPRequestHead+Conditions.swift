import GroveWire
import OrderedJSON

/// What the fields of a request ask for, besides its route.
extension HTTPRequestHead {
    /// The key in `Idempotency-Key`, as a quoted string or as bare text.
    ///
    /// - Throws: 400 for a field that stands twice, and for a value that is no key.
    func idempotencyKey() throws(Refusal) -> [UInt8]? {
        guard var value = try single("idempotency-key")?.value else { return nil }
        if value.first == UInt8(ascii: "\"") {
            guard value.count >= 2, value.last == UInt8(ascii: "\"") else { throw Self.wrongKey }
            value = value.dropFirst().dropLast()
        }
        let isText = value.allSatisfy {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard (1...HTTPLimits.keyBytesMax).contains(value.count), isText else {
            throw Self.wrongKey
        }
        return Array(value)
    }

    /// The trace in `traceparent`; `nil` if there is none that can be read, as Trace Context wants
    /// it (section 4.3). Of later versions the part counts that version 00 has.
    func traceParent() -> TraceParent? {
        guard var text = only("traceparent")?.value, text.count >= TraceParent.textBytes else {
            return nil
        }
        guard !text.starts(with: "00".utf8) else { return TraceParent(text) }
        guard text.prefix(2).allSatisfy(Self.isLowerDigit), !text.starts(with: "ff".utf8) else {
            return nil
        }
        let rest = text.dropFirst(TraceParent.textBytes)
        guard rest.isEmpty || rest.first == UInt8(ascii: "-") else { return nil }
        text = ArraySlice("00".utf8) + text.prefix(TraceParent.textBytes).dropFirst(2)
        return TraceParent(text)?.onlySampled
    }

    /// Whether a byte is a hexadecimal digit, of letters a small one.
    private static func isLowerDigit(_ byte: UInt8) -> Bool {
        HTTPBytes.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static let wrongKey = Refusal(
        .badRequest, "a key is a text of 1 to \(HTTPLimits.keyBytesMax) bytes, in quotes or without"
    ) { $0.member("at", "Idempotency-Key") }

    /// What `If-Match` and `If-None-Match: *` ask for.
    ///
    /// - Throws: 400 for weak tags, lists, and tags that are none of the server's.
    func expectation() throws(Refusal) -> Exchange.Expectation? {
        let match = try single("if-match")?.value
        let noneMatch = try single("if-none-match")?.value
        if match != nil, noneMatch != nil {
            throw Refusal(400, "If-Match and If-None-Match don't go together")
        }
        if let noneMatch {
            guard noneMatch == [UInt8(ascii: "*")] else {
                throw Refusal(400, "If-None-Match is * here")
            }
            return .absent
        }
        guard let match else { return nil }
        if match == [UInt8(ascii: "*")] { return .exists }
        guard match.count >= 3, match.first == UInt8(ascii: "\""), match.last == UInt8(ascii: "\"")
        else { throw Self.wrongTag }
        let tag = match.dropFirst().dropLast()
        guard !tag.contains(UInt8(ascii: "\"")) else { throw Self.wrongTag }
        let digits = tag.prefix { $0 != UInt8(ascii: ".") }
        guard RequestLine.isInteger(digits), digits.first != UInt8(ascii: "-"),
            let version = Int64(String(decoding: digits, as: UTF8.self))
        else { throw Self.wrongTag }
        return .version(version)
    }

    private static let wrongTag = Refusal(
        400, "If-Match is * or one ETag of the instance, such as \"41.9c2e\"")

    /// The token in `Authorization`.
    ///
    /// - Throws: 401 for another scheme, and for a text that can't be a token.
    func bearerToken() throws(Refusal) -> [UInt8]? {
        guard let value = try single("authorization")?.value else { return nil }
        let scheme = value.prefix(7)
        let isBearer = scheme.map { $0 | 0x20 }.elementsEqual("bearer ".utf8)
        let token = value.dropFirst(7).drop { $0 == 0x20 }
        guard isBearer, (1...HTTPLimits.tokenBytesMax).contains(token.count),
            token.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Refusal(.unauthenticated, "Authorization is Bearer and a token") }
        return Array(token)
    }

    /// The only field of this name.
    func single(_ name: StaticString) throws(Refusal) -> HTTPField? {
        guard has(name) else { return nil }
        guard let field = only(name) else {
            throw Refusal(400, "the field \(name) stands more than once")
        }
        return field
    }

    /// Whether the body is JSON by its content type.
    var hasJSONBody: Bool {
        guard let type = only("content-type")?.value else { return false }
        let media = type.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        return HTTPBytes.isWord(media, "application/json")
    }
}
