import Testing

@testable import GroveHTTP

/// What a head says besides its path and body, which the corpus has.
@Suite("HTTPHeadReader")
struct HTTPHeadReaderTests {
    private func head(
        _ lines: [String], bodyBytesMax: Int = 100
    ) throws(HTTPRefusal) -> HTTPRequestHead {
        var reader = HTTPHeadReader()
        for line in lines {
            let bytes = Array(line.utf8)
            try reader.read(bytes.span)
        }
        let head = try reader.finish(bodyBytesMax: bodyBytesMax)
        #expect(!reader.hasBegun, "it is at the beginning of the next head")
        return head
    }

    private func head(fields: String...) throws(HTTPRefusal) -> HTTPRequestHead {
        try head(["POST /e HTTP/1.1", "Host: h"] + fields)
    }

    private func refusal(_ lines: String...) -> Int? {
        let refusal = #expect(throws: HTTPRefusal.self) { try head(lines) }
        return refusal?.status
    }

    @Test func `names are in lower case, and values are without white space`() throws {
        let head = try head(fields: "X-A:  b c\t", "x-a:", "X-B: \u{e4}")
        #expect(head.all("x-a").map(\.value) == [Array("b c".utf8), []])
        #expect(head.first("x-a")?.value == Array("b c".utf8))
        #expect(head.first("x-b")?.value == Array("\u{e4}".utf8))
        #expect(head.first("x") == nil && head.all("x-ab").isEmpty)
        #expect(
            head.fields.map { String(decoding: $0.name, as: UTF8.self) }
                == ["host", "x-a", "x-a", "x-b"])
    }

    @Test func `a host is kept as it is written`() throws {
        let plain = try head(["GET / HTTP/1.1", "Host: LocalHost:80"])
        #expect(plain.host == Array("LocalHost:80".utf8))
        let absolute = try head(["GET http://LOCALHOST:80/ HTTP/1.1", "Host: localhost:80"])
        #expect(absolute.host == Array("localhost:80".utf8))
    }

    @Test func `a query is what stands after the first question mark`() throws {
        for (target, path, query) in [
            ("/a", "/a", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"),
            ("/?a=%3F", "/", "a=%3F"),
        ] {
            let head = try head(["GET \(target) HTTP/1.1", "Host: h"])
            #expect(head.path == Array(path.utf8))
            #expect(head.query == query.map { Array($0.utf8) })
        }
    }

    @Test func `a connection stays open in 1.1 only, and unless close is listed`() throws {
        for value in ["close", "Close", "x, CLOSE", "\tclose ,x", ",close,"] {
            #expect(try !head(fields: "Connection: \(value)").keepsAlive, "\(value)")
        }
        #expect(try !head(fields: "Connection: x", "Connection: close").keepsAlive)
        for value in ["", "keep-alive", "closed", "x-close", "clo se", "close;x"] {
            #expect(try head(fields: "Connection: \(value)").keepsAlive, "\(value)")
        }
        let lines = ["GET / HTTP/1.0", "Host: h", "Connection: keep-alive"]
        #expect(try !head(lines).keepsAlive && head(lines).isVersion10)
    }

    @Test func `the body is as long as one field says`() throws {
        #expect(try head(fields: "Content-Length: 100").body == .length(100))
        #expect(try head(fields: "Content-Length: 0").body == .none)
        #expect(try head(fields: "Transfer-Encoding: Chunked").body == .chunked)
        #expect(try head(fields: "A: b").body == .none)
        #expect(refusal("POST / HTTP/1.1", "Host: h", "Content-Length: 101") == 413)
        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            #expect(!HTTPMethod(Array(method.utf8).span).mayHaveBody)
            #expect(refusal("\(method) / HTTP/1.1", "Host: h", "Content-Length: 1") == 400)
        }
        for method in ["POST", "PUT", "PATCH", "get"] {
            #expect(HTTPMethod(Array(method.utf8).span).mayHaveBody)
        }
    }

    @Test func `a client of 1.1 may wait for 100`() throws {
        let fields = ["Host: h", "Content-Length: 1", "Expect: 100-CONTINUE"]
        #expect(try head(["POST / HTTP/1.1"] + fields).expectsContinue)
        #expect(try !head(["POST / HTTP/1.0"] + fields).expectsContinue)
        #expect(try !head(fields: "Content-Length: 1").expectsContinue)
    }

    @Test func `an upgrade to WebSocket is in two fields`() throws {
        #expect(
            try head(fields: "Connection: keep-alive, Upgrade", "Upgrade: h2c, WebSocket")
                .isUpgradeToWebSocket)
        #expect(try !head(fields: "Connection: upgrade").isUpgradeToWebSocket)
        #expect(try !head(fields: "Upgrade: websocket").isUpgradeToWebSocket)
        #expect(
            try !head(fields: "Connection: upgrades", "Upgrade: websocket").isUpgradeToWebSocket)
        #expect(
            try !head(fields: "Connection: upgrade", "Upgrade: websocket2").isUpgradeToWebSocket)
    }

    @Test func `a method keeps its letters`() {
        for text in [
            "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "PUTT", "M",
        ] {
            let method = HTTPMethod(Array(text.utf8).span)
            #expect(method.text == text)
            #expect(
                (method == .other(Array(text.utf8))) == ![
                    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS",
                ].contains(text))
        }
    }
}
