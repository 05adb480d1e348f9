import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("RecordStream")
struct RecordStreamTests {
    private func text(
        _ stream: RecordStream, _ write: (RecordStream, inout JSONWriter) -> Void
    ) -> String {
        var writer = JSONWriter()
        write(stream, &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func record(_ rest: String, _ stream: RecordStream) -> String {
        text(stream) { stream, writer in
            Array(rest.utf8).withUnsafeBytes { stream.append($0, to: &writer) }
        }
    }

    private let events = RecordStream(areEvents: true, isChunked: false)
    private let lines = RecordStream(areEvents: false, isChunked: false)

    @Test func `a record has its cursor as id, a mark is an event of its own`() {
        #expect(
            record(#""cur":"c1","to":"a/b"}"#, events)
                == "id: c1\ndata: {\"cur\":\"c1\",\"to\":\"a/b\"}\n\n")
        #expect(
            record(#""cur":"c2","mark":"live"}"#, events)
                == "event: mark\nid: c2\ndata: {\"cur\":\"c2\",\"mark\":\"live\"}\n\n")
        #expect(
            record(#""to":"a/b","snapshot":true}"#, events)
                == "data: {\"to\":\"a/b\",\"snapshot\":true}\n\n")
    }

    @Test func `lines are lines`() {
        #expect(record(#""cur":"c1"}"#, lines) == "{\"cur\":\"c1\"}\n")
        #expect(text(lines) { $0.begin(&$1) } == "" && text(lines) { $0.end(&$1) } == "")
        #expect(text(lines) { $0.beat(&$1) } == "\n")
    }

    @Test func `chunks have the size of their contents`() {
        let stream = RecordStream(areEvents: false, isChunked: true)
        let long = #""x":""# + String(repeating: "y", count: 300) + "\"}"
        let chunk = record(long, stream)
        #expect(chunk.hasPrefix("00000135\r\n{") && chunk.hasSuffix("}\n\r\n"))
        #expect(chunk.utf8.count == 10 + 0x135 + 2)
        #expect(text(stream) { $0.end(&$1) } == "0\r\n\r\n")
    }
}
