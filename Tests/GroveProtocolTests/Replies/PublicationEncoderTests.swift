import GroveEngine
import OrderedJSON
import Testing
import Transducers

@testable import GroveProtocol

@Suite("PublicationEncoder")
struct PublicationEncoderTests {
    static let zero = String(repeating: "A", count: 22)

    private func line(_ content: Publication.Content) -> String {
        var encoder = PublicationEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        encoder.prepare(content)
        var writer = JSONWriter()
        encoder.append(SubscriptionName(Array("s1".utf8)), into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func record(event: String? = #""PAY""#) throws -> JournalRecord {
        var record = JournalRecord(sequence: 6, kind: .step)
        record.name = InstanceName("order/o-1")
        record.version = 42
        record.event = event.map { Array($0.utf8) }
        record.outputs = [
            JournalRecord.Output(
                type: "invoice.created",
                data: Array(#"{"type":"invoice.created","total":5}"#.utf8)),
            JournalRecord.Output(type: nil, data: Array("7".utf8)),
        ]
        return record
    }

    private let head = #"{"sub":"s1","cur":"\#(zero)6.1","to":"order/o-1","v":42,"kind":"#
    private let at = #""at":"1970-01-01T00:00:00.000Z"}"# + "\n"

    @Test func `one encoding serves both forms`() throws {
        var encoder = PublicationEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        encoder.prepare(.liveMark(Cursor(sequence: 6)))
        var writer = JSONWriter()
        let name = SubscriptionName(Array("s1".utf8))
        encoder.append(name, into: &writer)
        encoder.append(name, as: .jsonRPC, into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"sub":"s1","cur":"\#(Self.zero)6","mark":"live"}"# + "\n"
                + #"{"jsonrpc":"2.0","method":"record","params":"#
                + #"{"sub":"s1","cur":"\#(Self.zero)6","mark":"live"}}"# + "\n")
    }

    @Test func `an output has its type, its value and its cause`() throws {
        var record = try record()
        record.dedup = Array("k-1".utf8)
        #expect(
            line(.record(PublishedStep(record: record, before: nil), kind: .output(0), index: 1))
                == head + #""output","type":"invoice.created","#
                + #""data":{"type":"invoice.created","total":5},"#
                + #""cause":{"event":"PAY","dedup":"k-1"},"# + at)
        #expect(
            line(.record(PublishedStep(record: record, before: nil), kind: .output(1), index: 1))
                == head + #""output","data":7,"cause":{"event":"PAY","dedup":"k-1"},"# + at)
    }

    @Test(arguments: [
        (#"{"type":"PA\"Y","amount":5}"#, #""cause":{"event":"PA\"Y"},"#),
        (#"{"amount":5}"#, #""cause":{},"#), (#"{"type":5}"#, #""cause":{},"#),
    ])
    func `the cause is the event's name`(event: String, cause: String) throws {
        let text = line(
            .record(
                PublishedStep(record: try record(event: event), before: nil), kind: .output(1),
                index: 1))
        #expect(text == head + #""output","data":7,"# + cause + at)
    }

    @Test func `a creation has no cause`() throws {
        let text = line(
            .record(
                PublishedStep(record: try record(event: nil), before: nil), kind: .output(1),
                index: 1))
        #expect(text == head + #""output","data":7,"# + at)
    }

    @Test func `a state has the values before and after`() throws {
        var record = try record()
        record.state = Array("2".utf8)
        #expect(
            line(
                .record(
                    PublishedStep(record: record, before: Array("1".utf8)), kind: .state, index: 1))
                == head + #""state","before":1,"after":2,"cause":{"event":"PAY"},"# + at)
        #expect(
            line(.record(PublishedStep(record: record, before: nil), kind: .state, index: 1))
                == head + #""state","after":2,"cause":{"event":"PAY"},"# + at,
            "what can't be told any more is left out")
        record.kind = .created
        #expect(
            line(.record(PublishedStep(record: record, before: nil), kind: .state, index: 1))
                == head + #""state","before":null,"after":2,"cause":{"event":"PAY"},"# + at)
    }

    @Test func `a trace leaves out states that aren't held`() throws {
        var record = try record()
        record.state = nil
        #expect(
            line(.record(PublishedStep(record: record, before: nil), kind: .trace, index: 1))
                == head + #""trace","event":"PAY","outputs":[{"type":"invoice.created","#
                + #""total":5},7],"effects":[],"#
                + #""cause":{"event":"PAY"},"# + at)
    }

    @Test(arguments: ["created", "done", "stopped", "deleted"])
    func `a lifecycle record has its name`(name: String) throws {
        let turn = try #require(Publication.Lifecycle(rawValue: name))
        var record = try record(event: nil)
        record.reason = "why"
        #expect(
            line(
                .record(
                    PublishedStep(record: record, before: nil), kind: .lifecycle(turn), index: 1))
                == head + #""lifecycle","lifecycle":"\#(name)","reason":"why","# + at)
    }

    @Test func `a trace has the whole step`() throws {
        let record = try record()
        #expect(
            line(
                .record(
                    PublishedStep(record: record, before: Array("1".utf8)), kind: .trace, index: 1))
                == head + #""trace","event":"PAY","before":1,"after":1,"outputs":["#
                + #"{"type":"invoice.created","total":5},7],"effects":[],"#
                + #""cause":{"event":"PAY"},"# + at)
    }

    @Test func `a snapshot has no cursor, and marks done instances`() throws {
        let name = try #require(InstanceName("order/o-1"))
        let time = Timestamp(milliseconds: 0)
        for isDone in [false, true] {
            let content = Publication.Content.snapshot(
                name, version: 42, state: Array("2".utf8), isDone: isDone, updated: time)
            #expect(
                line(content)
                    == #"{"sub":"s1","to":"order/o-1","v":42,"kind":"state","snapshot":true,"#
                    + #""after":2,"# + (isDone ? #""done":true,"# : "") + at)
        }
    }

    @Test func `marks have a cursor and nothing else`() {
        let place = Cursor(sequence: 6, index: 1)
        for (content, mark) in [
            (Publication.Content.snapshotMark(place), "snapshot"), (.liveMark(place), "live"),
            (.checkpointMark(place), "checkpoint"),
        ] {
            #expect(
                line(content)
                    == #"{"sub":"s1","cur":"\#(Self.zero)6.1","mark":"\#(mark)"}"# + "\n")
        }
    }
}
