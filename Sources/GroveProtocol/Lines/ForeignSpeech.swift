import GroveWire

/// The beginnings of other protocols that a program may use on this port, and the answers.
///
/// A web page can make a browser send it here: the body of a request over HTTP is lines of the
/// page's choice, and so are parts of a TLS hello. So the server reads neither past its beginning
/// (protocol.md, "Other protocols").
enum ForeignSpeech: Sendable {
    case http, tls

    var reason: CloseReason {
        switch self {
        case .http: .httpRequest
        case .tls: .tlsHello
        }
    }

    var answer: [UInt8] {
        switch self {
        case .http: Self.refusal
        // A record of type alert: fatal, "handshake failure" (RFC 8446, section 6).
        case .tls: [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
        }
    }

    private static let refusal: [UInt8] = {
        let body = """
            This is the port of a Grove server. It speaks lines of JSON, not HTTP.
            From a shell, try "grove ping". A program connects over TCP and writes lines such as
            {"op":"ping","id":1}
            The protocol is described in docs/reference/protocol.md.

            """
        let head = [
            "HTTP/1.1 400 Bad Request", "Content-Type: text/plain; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "X-Content-Type-Options: nosniff",
            "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }()

    // MARK: HTTP

    /// Whether a line is the request line of HTTP: a method, a target, `HTTP/` and a version
    /// (RFC 9112, section 3). No JSON text is one.
    static func isRequestLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // Nearly every line.
        if line.first == UInt8(ascii: "{") { return false }
        guard let target = beginOfTarget(line) else { return false }
        var end = line.count
        while end > target, isBlank(line[end - 1]) { end -= 1 }
        guard let blank = line[target..<end].lastIndex(where: isBlank), blank > target else {
            return false
        }
        return hasPrefix("HTTP/", line[(blank + 1)..<end])
    }

    /// Whether the beginning of a line that is too long is a request line's: a method, and a target
    /// such as browsers write.
    static func beginsRequestLine(_ beginning: [UInt8]) -> Bool {
        beginning.withUnsafeBytes { bytes in
            guard bytes.first != UInt8(ascii: "{"), let target = beginOfTarget(bytes) else {
                return false
            }
            return bytes[target] == UInt8(ascii: "/") || hasPrefix("http", bytes[target...])
        }
    }

    /// The index of the target, after a method, which is a token, and blanks.
    private static func beginOfTarget(_ line: UnsafeRawBufferPointer) -> Int? {
        guard let begin = line.firstIndex(where: { !isBlank($0) }) else { return nil }
        guard let end = line[begin...].firstIndex(where: { !isToken($0) }), end > begin,
            isBlank(line[end])
        else { return nil }
        return line[end...].firstIndex { !isBlank($0) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func hasPrefix(
        _ prefix: StaticString, _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Bool {
        guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { prefix in
            zip(prefix, bytes).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }
    }
}
