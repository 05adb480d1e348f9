import GroveWire
import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("Drawings of a connection")
struct HTTPConnectionDrawingTests {
    /// A connection whose client has asked for a drawing.
    private final class Talk {
        var context = HTTPContext(HTTPSettings())
        var connection: HTTPConnection

        init(fields: String = "") {
            connection = HTTPConnection(context)
            let head =
                "GET /v1/machines/door/diagram.svg HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
            #expect(next(head) == .lines)
            let line = String(decoding: context.lines.bytes, as: UTF8.self)
            #expect(line == "{\"op\":\"describe\",\"id\":0,\"name\":\"door\"}\n")
        }

        func next(_ text: String = "") -> HTTPConnection.Action? {
            var position = 0
            return Array(text.utf8).withUnsafeBytes {
                connection.next(in: $0, from: &position, isUnknown: false, using: &context)
            }
        }

        func reply(_ line: String) {
            Array((line + "\n").utf8).withUnsafeBytes {
                #expect(connection.translate($0, using: &context) == $0.count)
            }
        }

        var isDrawing: Bool { connection.isDrawing }
        var hasWork: Bool { connection.hasWork }
        var acceptsBytes: Bool { connection.acceptsBytes }
        var carriedBytes: Int { connection.carriedBytes }
        var end: CloseReason? { connection.end }

        /// The answer so far.
        func answer() -> String {
            var text = ""
            connection.outbound.send { bytes in
                text += String(decoding: bytes, as: UTF8.self)
                return bytes.count
            }
            return text
        }
    }

    private static let graph = #"{"nodes":[{"id":"s0","kind":"state","label":"on"}],"edges":[]}"#
    private static let order = DrawingOrder(
        machine: Array("door".utf8), graph: Array(graph.utf8))
    private static let described = #"{"id":0,"ok":true,"name":"door","graph":\#(graph)}"#

    private func ordered(fields: String = "") -> Talk {
        let talk = Talk(fields: fields)
        talk.reply(Self.described)
        #expect(talk.isDrawing && talk.hasWork)
        #expect(talk.next() == .draw(Self.order))
        #expect(talk.isDrawing && !talk.hasWork)
        #expect(!talk.acceptsBytes)
        #expect(talk.carriedBytes == Self.graph.utf8.count)
        return talk
    }

    @Test func `a description becomes an order, and the drawing the answer`() {
        let talk = ordered()
        // A notice answers nothing.
        talk.reply(#"{"op":"draining","deadline_ms":5}"#)
        #expect(talk.answer() == "")
        talk.connection.finish(DrawingOutcome.drawn(Array("<svg/>".utf8)), using: &talk.context)
        let answer = talk.answer()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\n<svg/>"))
        #expect(answer.contains("\r\nContent-Type: image/svg+xml\r\nContent-Length: 6\r\n"))
        #expect(!talk.isDrawing && talk.acceptsBytes)
        // Nobody waits for a second one.
        talk.connection.finish(DrawingOutcome.overloaded, using: &talk.context)
        #expect(talk.answer() == "")
    }

    @Test func `a client that has the drawing orders none`() throws {
        let talk = ordered()
        talk.connection.finish(DrawingOutcome.drawn([]), using: &talk.context)
        let field = try #require(
            talk.answer().split(separator: "\r\n").first { $0.hasPrefix("ETag") })
        let again = Talk(fields: "If-None-Match: \(field.dropFirst(6))\r\n")
        again.reply(Self.described)
        #expect(!again.isDrawing)
        #expect(again.answer().hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
        _ = ordered(fields: "If-None-Match: \"other\"\r\n")
    }

    @Test func `what can't be drawn has a status`() {
        let large = ordered()
        large.connection.finish(DrawingOutcome.refused("too large"), using: &large.context)
        let refused = large.answer()
        #expect(refused.hasPrefix("HTTP/1.1 422 ") && refused.contains(#""detail":"too large""#))
        #expect(!refused.contains(#""code""#))
        let busy = ordered()
        busy.connection.finish(DrawingOutcome.overloaded, using: &busy.context)
        let overloaded = busy.answer()
        #expect(overloaded.hasPrefix("HTTP/1.1 503 "))
        #expect(overloaded.contains("\r\nRetry-After: 1\r\n"))
        #expect(overloaded.contains(#""code":"OVERLOADED""#))
        for graph in [#""graph":{"nodes":[],"edges":[]}"#, #""graph":{}"#, #""states":[]"#] {
            let unknown = Talk()
            unknown.reply(#"{"id":0,"ok":true,\#(graph)}"#)
            #expect(!unknown.isDrawing)
            let missing = unknown.answer()
            #expect(missing.hasPrefix("HTTP/1.1 404 ") && !missing.contains(#""code""#))
        }
    }

    @Test func `a client that has ended its stream gets the drawing, then the end`() {
        let talk = ordered()
        talk.connection.receiveEnd(using: &talk.context)
        #expect(talk.end == nil)
        talk.connection.finish(DrawingOutcome.drawn([]), using: &talk.context)
        #expect(talk.answer().contains("\r\nConnection: close\r\n"))
        #expect(talk.end == .httpClosed)
    }

    @Test func `at the server's end, who waits for a drawing gets an answer`() {
        let talk = ordered()
        talk.connection.finish(.serverShutdown, using: &talk.context)
        #expect(talk.answer().contains(#""code":"DRAINING""#))
        #expect(talk.end != nil)
    }
}
