import GroveWire
import Testing

@testable import GroveProtocol

/// Browsers and others that speak another protocol, in their own spelling.
@Suite("Clients of other protocols")
struct ForeignClientTests {
    private static let delete = #"{"op":"delete","id":1,"to":"counter/c"}"# + "\n"

    /// What Chromium writes for a page of another origin: the head, up to the length of the body.
    private static func head(
        _ line: String, type: String? = nil, _ more: String...
    ) -> String {
        var lines = [
            line, "Host: 127.0.0.1:7400", "Connection: keep-alive",
            #"sec-ch-ua: "Chromium";v="141", "Not?A_Brand";v="8""#,
            #"sec-ch-ua-platform: "Linux""#, "sec-ch-ua-mobile: ?0",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)",
            "Accept: */*", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Mode: no-cors", "Accept-Encoding: gzip, deflate, br, zstd",
        ]
        if let type { lines.append("Content-Type: \(type)") }
        return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Everything a page can have a browser send without asking anybody, and what other programs
    /// send of themselves.
    static let requests: [(name: String, text: String)] = [
        (
            "fetch, no-cors",
            head("POST / HTTP/1.1", type: "text/plain;charset=UTF-8", "Content-Length: 40") + delete
        ),
        (
            "sendBeacon",
            head("POST /a?b HTTP/1.1", type: "text/plain;charset=UTF-8", "Content-Length: 40")
                + delete
        ),
        (
            "a form with enctype text/plain",
            head(
                "POST / HTTP/1.1", type: "text/plain", "Upgrade-Insecure-Requests: 1",
                "Content-Length: 70")
                + #"{"op":"delete","id":1,"to":"counter/c","x":"="}"# + "\r\n" + delete
        ),
        (
            "a form with enctype multipart/form-data",
            head(
                "POST / HTTP/1.1", type: "multipart/form-data; boundary=----WebKitFormBoundaryA",
                "Content-Length: 200")
                + "------WebKitFormBoundaryA\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
                + delete + "\r\n------WebKitFormBoundaryA--\r\n"
        ),
        ("an image", head("GET /%7B%22op%22%3A%22stats%22%7D HTTP/1.1") + delete),
        (
            "a request that is asked for first",
            head("OPTIONS / HTTP/1.1", type: nil, "Access-Control-Request-Method: DELETE") + delete
        ),
        (
            "a WebSocket",
            head("GET / HTTP/1.1", type: nil, "Upgrade: websocket", "Sec-WebSocket-Version: 13")
                + delete
        ),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + delete),
        ("curl", "POST / HTTP/1.1\r\nHost: x\r\nUser-Agent: curl/8.5.0\r\n\r\n" + delete),
        ("a proxy's", "CONNECT example.org:443 HTTP/1.1\r\n\r\n" + delete),
        ("another method", "BREW /pot HTCPCP/1.0 HTTP/1.1\r\n\r\n" + delete),
    ]

    private func text(_ talk: Conversation) -> String {
        talk.lines().joined(separator: "\n") + "\n"
    }

    @Test(arguments: requests.map(\.name))
    func `a request over HTTP gets one answer, and later bytes are ignored`(
        name: String
    ) throws {
        let request = try #require(Self.requests.first { $0.name == name }).text
        let bytes = Array(request.utf8)
        for cut in [0, 1, 5, 15, 16, 17, bytes.count / 2, bytes.count - 1] {
            let talk = try Conversation()
            talk.receive(Array(bytes[..<cut]))
            talk.receive(Array(bytes[cut...]))
            #expect(Array(text(talk).utf8) == ForeignSpeech.http.answer, "cut at \(cut)")
            #expect(talk.requests.isEmpty, "cut at \(cut)")
            #expect(talk.machine.closing == .httpRequest)
            #expect(talk.shouldClose)
            #expect(!talk.wantsInput)
            talk.receive(Self.delete)
            talk.machine.resume(into: &talk.requests, using: &talk.context)
            #expect(talk.requests.isEmpty && talk.machine.outbound.isEmpty)
        }
    }

    @Test func `a request line is recognized after valid lines`() throws {
        let talk = try Conversation()
        #expect(talk.send(#"{"op":"ping","id":1}"# + "\n").count == 1)
        talk.send(Self.delete)
        #expect(talk.requests.count == 1)
        talk.receive("GET / HTTP/1.1\r\n\r\n" + Self.delete)
        #expect(talk.requests.count == 1)
        #expect(Array(text(talk).utf8) == ForeignSpeech.http.answer)
        #expect(talk.shouldClose, "replies that aren't there would stand in the answer")
        talk.answer()
        #expect(talk.machine.outbound.isEmpty)
    }

    @Test func `a request line after waiting lines is found in its turn`() throws {
        let talk = try Conversation({ $0.inflightMax = 1 })
        talk.receive(Self.delete + "POST / HTTP/1.1\r\n" + Self.delete)
        #expect(talk.machine.closing == nil)
        talk.answer()
        _ = talk.resume()
        #expect(talk.machine.closing == .httpRequest)
        #expect(talk.requests.isEmpty)
    }

    @Test func `a request line longer than max-line is recognized`() throws {
        let line = "GET /" + String(repeating: "a", count: 300) + " HTTP/1.1\r\n"
        let bytes = Array((line + "\r\n" + Self.delete).utf8)
        for cut in 0...bytes.count {
            let talk = try Conversation({ $0.lineBytesMax = 200 })
            talk.receive(Array(bytes[..<cut]))
            talk.receive(Array(bytes[cut...]))
            #expect(talk.machine.closing == .httpRequest, "cut at \(cut)")
            #expect(talk.requests.isEmpty)
        }
    }

    @Test func `other wrong lines are answered as before`() throws {
        let talk = try Conversation({ $0.lineBytesMax = 100 })
        let lines = talk.send(
            "GET /\nHost: x\n" + String(repeating: "a b ", count: 50) + "\nHTTP/1.1 200 OK\n")
        #expect(lines.map(\.code) == ["BAD_JSON", "BAD_JSON", "LINE_TOO_LONG", "BAD_JSON"])
        #expect(talk.machine.closing == nil)
    }

    /// A hello as OpenSSL writes it, with a session id that holds a line of JSON.
    private static let hello: [UInt8] =
        [0x16, 0x03, 0x01, 0x00, 0xF1, 0x01, 0x00, 0x00, 0xED, 0x03, 0x03]
        + [UInt8](repeating: 0x0A, count: 32) + Array(("\n" + delete).utf8)

    @Test func `a TLS hello gets an alert, wherever it is cut`()
        throws
    {
        for cut in 0..<Self.hello.count {
            let talk = try Conversation()
            talk.receive(Array(Self.hello[..<cut]))
            talk.receive(Array(Self.hello[cut...]))
            var sent: [UInt8] = []
            talk.machine.outbound.send {
                sent = Array($0)
                return $0.count
            }
            #expect(sent == ForeignSpeech.tls.answer, "cut at \(cut)")
            #expect(talk.requests.isEmpty && talk.machine.closing == .tlsHello)
            #expect(talk.shouldClose)
        }
    }

    @Test func `the same bytes later are a wrong line`() throws {
        let talk = try Conversation()
        talk.receive("\n")
        talk.receive(Array(Self.hello.prefix(11)) + [10])
        #expect(talk.lines().map(\.code) == ["BAD_JSON"])
    }
}
