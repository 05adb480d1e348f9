import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("RequestLine")
struct RequestLineTests {
    /// The line of a request; the status of its refusal if there is none.
    private func line(_ request: String, body: String = "") throws -> String {
        var context = HTTPContext(HTTPSettings())
        var parser = HTTPParser(bodyBytesMax: 1_000)
        var position = 0
        let step = Array((request + "\r\nHost: localhost\r\n\r\n").utf8).withUnsafeBytes {
            parser.next(in: $0, from: &position)
        }
        guard case .head(let head) = step else { throw TestProblem("no head: \(step)") }
        do throws(Refusal) {
            let exchange = try Gatekeeper.admit(head, using: &context)
            exchange.body = Array(body.utf8)
            var document = JSONDocument()
            var writer = JSONWriter()
            try RequestLine.write(exchange, to: &writer, reading: &document, context.settings)
            return String(decoding: writer.bytes, as: UTF8.self)
        } catch {
            return "\(error.status)"
        }
    }

    @Test func `parts become members`() throws {
        #expect(
            try line("POST /v1/instances/a/b/events?reply=full HTTP/1.1", body: #"{"type":"x"}"#)
                == #"{"op":"send","id":0,"to":"a/b","reply":"full","event":{"type":"x"}}"# + "\n")
        #expect(
            try line("GET /v1/instances?limit=5&done=true&prefix=a%22b HTTP/1.1")
                == #"{"op":"list","id":0,"limit":5,"done":true,"prefix":"a\"b"}"# + "\n")
        #expect(
            try line("POST /v1/instances/a/b/stop HTTP/1.1", body: "{ \"reason\" : \"x\" }")
                == #"{"op":"stop","id":0,"to":"a/b","reason":"x"}"# + "\n")
        #expect(
            try line("GET /v1/records?kind=output,state&machine=a*&from=last:3 HTTP/1.1")
                == #"{"op":"subscribe","id":0,"sub":"r","select":{"kind":["output","state"],"#
                + #""machine":"a*"},"from":{"last":3}}"# + "\n")
        #expect(
            try line("POST /v1/machines/a/suspend HTTP/1.1")
                == #"{"op":"suspend","id":0,"machine":"a"}"# + "\n")
    }

    @Test(arguments: [
        #"{"op":"delete"}"#, #"{"id":1}"#, #"{"to":"a/c"}"#, #"{"jsonrpc":"2.0"}"#, "[]", "5",
        #"{"reason":"x"}}"#, #"{"reason":"x"} {"op":"delete"}"#, #"{"reason":"a","reason":"b"}"#,
        "{\"reason\":\"a\nb\"}", #"{"\u006fp":"delete"}"#, #"{"\u0074o":"a/c"}"#,
    ])
    func `no body becomes another request`(body: String) throws {
        #expect(try line("POST /v1/instances/a/b/stop HTTP/1.1", body: body) == "400")
    }

    @Test func `text of a path or a query can't become another member`() throws {
        let hostile = [
            "\",\"op\":\"delete", "\\\"", "a\\u0022", "{\"x\":1}", "é\u{2028}", "'", "\u{7e}",
        ]
        for text in hostile {
            let escaped = String(decoding: PercentEscape.of(text), as: UTF8.self)
            let paths = [
                "GET /v1/instances/a/\(escaped) HTTP/1.1",
                "GET /v1/instances?prefix=\(escaped) HTTP/1.1",
                "GET /v1/records?from=\(escaped)&type=\(escaped) HTTP/1.1",
            ]
            for path in paths {
                let written = try line(path)
                let value = try JSONValue(parsing: Array(written.utf8.dropLast()))
                let op = value["op"]?.string
                #expect(["get", "list", "subscribe"].contains(op), "\(written)")
                #expect(!written.dropLast().contains("\n"))
                let found =
                    value["to"]?.string?.dropFirst(2) ?? value["prefix"]?.string.map { $0[...] }
                    ?? value["from"]?["after"]?.string.map { $0[...] }
                #expect(found == text[...], "\(written)")
            }
        }
    }

    @Test func `line breaks between the tokens of a body are left out`() throws {
        #expect(
            try line("POST /v1/instances/a/b/events HTTP/1.1", body: "{\r\n\"a\":\n\"\\n\"}")
                == #"{"op":"send","id":0,"to":"a/b","event":{"a":"\n"}}"# + "\n")
    }

    @Test(arguments: ["0", "5", "-5", "123456789012345678"])
    func `integers are as JSON writes them`(text: String) {
        #expect(RequestLine.isInteger(text.utf8))
    }

    @Test(arguments: ["", "-", "05", "+5", "5.0", "1e3", "0x5", "1234567890123456789", " 5"])
    func `other texts are no integers`(text: String) {
        #expect(!RequestLine.isInteger(text.utf8))
    }
}
