import OrderedJSON
import Testing

@testable import GroveClient

@Suite("Request")
struct RequestTests {
    private func text(_ request: Request, id: Int64?) -> String {
        String(decoding: request.line(id: id), as: UTF8.self)
    }

    @Test func `a request is one line, with its fields in order`() {
        var request = Request("await")
        request.set("to", .string("a/b"))
        request.set("until", .string("done"))
        request.set("timeout_ms", 60_000)
        let expected = #"{"op":"await","id":7,"to":"a/b","until":"done","timeout_ms":60000}"#
        #expect(text(request, id: 7) == expected + "\n")
    }

    @Test func `without an id it asks for no reply`() {
        #expect(text(Request("ping"), id: nil) == "{\"op\":\"ping\"}\n")
    }

    @Test func `a newline in a text doesn't end the line`() {
        var request = Request("stop")
        request.set("reason", .string("a\nb\"c"))
        #expect(text(request, id: 1) == #"{"op":"stop","id":1,"reason":"a\nb\"c"}"# + "\n")
    }

    @Test func `JSON text is sent unchanged`() {
        var request = Request("send")
        request.set("event", text: #"{"type":"x", "n":1.50}"#.utf8)
        #expect(text(request, id: 1).contains(#""event":{"type":"x", "n":1.50}"#))
    }

    @Test func `a send has only the given fields`() {
        let plain = Request.send(to: "a/b", event: "1".utf8)
        #expect(text(plain, id: nil) == #"{"op":"send","to":"a/b","event":1}"# + "\n")
        let full = Request.send(
            to: "a/b", event: "1".utf8, dedup: "k", expect: .exists, create: .ifAbsent,
            reply: .state)
        let fields = #""dedup":"k","expect":"exists","create":"if_absent","reply":"state""#
        #expect(text(full, id: nil).contains(fields))
    }

    @Test func `expectations are versions or words`() {
        #expect(Expectation.version(3).value == 3)
        #expect(Expectation.absent.value == "absent" && Expectation.exists.value == "exists")
        #expect(CreationMode.allCases.map(\.rawValue) == ["if_absent", "never", "must"])
        #expect(ReplyDetail.allCases.map(\.rawValue) == ["min", "state", "full"])
    }
}

@Suite("Reply, ServerError, Greeting, Page")
struct ReplyTests {
    private func document(_ text: String) throws -> JSONDocument {
        try JSONDocument(parsing: Array(text.utf8))
    }

    @Test func `a reply's text is what the server sent, without id and ok`() throws {
        let line = #"{"id":1,"ok":true,"v":12,"state":{"id":1.50,"ok": []}}"#
        let reply = Reply(try document(line))
        #expect(
            String(decoding: reply.text, as: UTF8.self) == #"{"v":12,"state":{"id":1.50,"ok": []}}"#
        )
        #expect(reply.integer("v") == 12 && reply.string("v") == nil && reply.bool("v") == nil)
        #expect(reply.value("state")?["id"] == 1.5 && reply.value("none") == nil)
    }

    @Test func `an error object without its parts promises nothing`() throws {
        let empty = try document(#"{"error":{"code":5,"retry":"yes"}}"#)
        let error = ServerError(empty, at: try #require(empty.member("error", of: empty.root)))
        #expect(error.code == "INTERNAL" && error.message.isEmpty && !error.isRetryable)
        #expect(error.retryAfter == nil && error.data == nil)
        #expect(String(decoding: error.text, as: UTF8.self) == #"{"code":5,"retry":"yes"}"#)
    }

    @Test func `a greeting may be short`() throws {
        let greeting = try Greeting(try document(#"{"op":"hello","proto":[3,1],"heartbeat_ms":0}"#))
        #expect(greeting.version == nil && greeting.lineBytesMax == nil)
        #expect(greeting.heartbeat == nil)
    }

    @Test func `a page keeps its order and has the next position`() throws {
        let reply = Reply(
            try document(#"{"id":1,"ok":true,"items":[{"v":2},{"v":1}],"next":2}"#))
        let page = try Page<HistoryStep, Int64>(reply, next: reply.integer("next"))
        #expect(page.items.map(\.version) == [2, 1] && page.next == 2)
    }
}
