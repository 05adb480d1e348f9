import Foundation
import GroveWire
import Testing

@testable import GroveProtocol

@Suite("ForeignSpeech")
struct ForeignSpeechTests {
    private func isRequestLine(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { ForeignSpeech.isRequestLine($0) }
    }

    @Test(arguments: [
        "GET / HTTP/1.1", "POST /a?b=%7B HTTP/1.1", "OPTIONS * HTTP/1.0", "PRI * HTTP/2.0",
        "CONNECT grove:7400 HTTP/1.1", "GET http://grove/ HTTP/1.1", "m-search * http/1.1",
        "GET / HTTP/", "  GET\t/  HTTP/1.1  ", "X /a b c HTTP/9", "!#$%&'*+-.^_`|~ / HTTP/1.1",
    ])
    func `a method, a target and a version are a request line`(line: String) {
        #expect(isRequestLine(line))
    }

    @Test(arguments: [
        "", " ", "GET", "GET /", "GET / HTTP", "GET HTTP/1.1", "HTTP/1.1 200 OK", "GET /HTTP/1.1",
        "Host: 127.0.0.1:7400", "{\"a\":\"GET / HTTP/1.1\"}", "[1] / HTTP/1.1",
        "\"GET\" / HTTP/1.1",
        #"{"op":"ping","id":" HTTP/1.1"}"#, "Content-Type: text/plain;charset=UTF-8",
        "a, b HTTP/1.1",
    ])
    func `no other text is accepted`(line: String) {
        #expect(!isRequestLine(line))
    }

    @Test func `the beginning of a target is enough in a line that is too long`() {
        for line in ["POST /aaaa", "GET http://x", "OPTIONS  /"] {
            #expect(ForeignSpeech.beginsRequestLine(Array(line.utf8)), "\(line)")
        }
        for line in ["", "   ", "POST", "POST ", "aaaa aaaa", "{\"a\": /", "/ /", "[ /", "\"a /"] {
            #expect(!ForeignSpeech.beginsRequestLine(Array(line.utf8)), "\(line)")
        }
    }

    @Test func `the refusal has its declared length, and no page may read it`() throws {
        let text = String(decoding: ForeignSpeech.http.answer, as: UTF8.self)
        let end = try #require(text.range(of: "\r\n\r\n"))
        let head = text[..<end.lowerBound].split(separator: "\r\n")
        let body = text[end.upperBound...]
        #expect(head.first == "HTTP/1.1 400 Bad Request")
        #expect(head.contains("Content-Length: \(body.utf8.count)"))
        #expect(head.contains("Connection: close"))
        #expect(head.contains("Content-Type: text/plain; charset=utf-8"))
        #expect(!text.contains("Access-Control"), "pages of other origins may not read it")
        #expect(body.contains("Grove") && body.contains(#"{"op":"ping","id":1}"#))
        #expect(body.hasSuffix("\n"))
    }

    @Test func `a TLS hello is recognized by its first two bytes, wherever cut`() {
        func areTLS(_ parts: [[UInt8]]) -> [Bool] {
            var opening = OpeningBytes()
            return parts.map { part in part.withUnsafeBytes { opening.areTLS($0) } }
        }
        #expect(areTLS([[0x16, 0x03, 0x01, 0x02]]) == [true])
        #expect(areTLS([[0x16], [0x03]]) == [false, true])
        #expect(areTLS([[], [0x16], [], [0x03, 0x03]]) == [false, false, false, true])
        #expect(areTLS([[0x16], [0x16, 0x03]]) == [false, false])
        #expect(areTLS([[0x0A], [0x16, 0x03]]) == [false, false])
        #expect(areTLS([[0x0A, 0x16, 0x03]]) == [false], "only at the start of a connection")
        #expect(areTLS([[0x17, 0x03]]) == [false])
    }

    @Test func `the alert is a fatal record of TLS`() {
        let alert = ForeignSpeech.tls.answer
        #expect(alert.prefix(3) == [0x15, 0x03, 0x03])
        #expect(Int(alert[3]) << 8 | Int(alert[4]) == alert.count - 5)
        #expect(alert[5] == 2)
    }
}
