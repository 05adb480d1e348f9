import BuiltInMachines
import GroveEngine
import GroveProtocol
import GroveTestSupport

extension FuzzTarget {
    /// Bytes of a client of a whole server in memory that speaks HTTP. An odd first byte makes the
    /// rest messages of WebSocket, which end where a zero byte is. Without them, the answers must
    /// not depend on where the bytes were cut.
    static let web = FuzzTarget(
        "web",
        words: [
            "GET /v1/instances/counter/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "POST /v1/instances/counter/a/events HTTP/1.1\r\nHost: localhost\r\n",
            "Content-Type: application/json\r\nContent-Length: 11\r\n\r\n\"increment\"",
            "GET /v1/records?from=first&format=lines HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /v1/instances?limit=2&prefix=%22 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            "PUT /v1/instances/order/o HTTP/1.1\r\nHost: [::1]\r\n\r\n", "DELETE ", "/v1/machines",
            "POST /v1/backup HTTP/1.1\r\nHost: localhost\r\n\r\n", "/diagram.svg", "/metrics",
            "Idempotency-Key: \"k\"\r\n", "If-Match: *\r\n", "If-None-Match: *\r\n", "/history",
            "Authorization: Bearer grove_\r\n", "Origin: http://localhost\r\n", "HEAD ",
            "OPTIONS ",
            "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
            "{\"op\":\"send\",\"id\":1,\"to\":\"counter/a\",\"event\":\"increment\"}",
            "{\"op\":\"subscribe\",\"id\":2,\"sub\":\"s\",\"from\":\"first\"}",
            "{\"op\":\"hello\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"get\",\"params\":{\"to\":\"counter/a\"}}",
            "\u{16}\u{3}\u{1}", "GET / HTTP/1.1", "\0", "\n", "\r\n\r\n", "{", "}", "[", "null",
        ],
        smokeInputs: 3_000
    ) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        if first % 2 == 1 {
            _ = try WebPlay.answers([WebPlay.handshake] + WebPlay.messages(bytes))
            return
        }
        let whole = try WebPlay.answers([bytes])
        let middle = bytes.count * Int(first) / 256
        let pieces = try WebPlay.answers([Array(bytes[..<middle]), Array(bytes[middle...])])
        guard whole == pieces else {
            throw Finding("cut at \(middle): \(WebPlay.text(pieces)), not \(WebPlay.text(whole))")
        }
        guard whole.isEmpty || whole.starts(with: "HTTP/1.1 ".utf8) else {
            throw Finding("no answer of HTTP: \(WebPlay.text(whole))")
        }
    }
}

private enum WebPlay {
    static let handshake = Array(
        """
        GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r
        Upgrade: websocket\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """.utf8)

    /// Frames with the texts between zero bytes; one of at most 125 bytes each.
    static func messages(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0).map { part in
            let text = part.prefix(125)
            return [0x81, 0x80 | UInt8(text.count), 0, 0, 0, 0] + text
        }
    }

    /// What a client gets that sends these pieces and then ends its stream.
    static func answers(_ pieces: [[UInt8]]) throws -> [UInt8] {
        var limits = ServerLimits()
        limits.lineBytesMax = 300
        let talk = HTTPTalk(
            catalogue: try Catalogue(BuiltInMachines.definitions), store: MemoryStore(),
            limits: limits)
        let client = try talk.connect()
        for piece in pieces where !piece.isEmpty { try talk.send(piece, from: client) }
        try talk.endStream(of: client)
        let answers = client.take()
        try talk.finish()
        return answers
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
