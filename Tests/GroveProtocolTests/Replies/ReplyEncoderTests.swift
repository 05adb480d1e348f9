import GroveWire
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ReplyEncoder")
struct ReplyEncoderTests {
    static let zero = String(repeating: "A", count: 22)
    static let output = JournalRecord.Output(type: "made", data: Array(#"{"type":"made"}"#.utf8))

    private func line(_ reply: Reply, _ answer: DecodedLine.Answer? = nil) -> String {
        var encoder = ReplyEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        var writer = JSONWriter()
        let seven = DecodedLine.Answer.id([UInt8(0x37)].withUnsafeBytes { RequestID($0) })
        encoder.append(reply, to: answer ?? seven, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func record(_ version: Int64) throws -> JournalRecord {
        var record = JournalRecord(sequence: version, kind: .step)
        record.name = InstanceName("order/o")
        record.version = version
        record.event = Array(#""PAY""#.utf8)
        return record
    }

    @Test func `an ack is compact, with optional members only if needed`() {
        var sent = Reply.Sent(
            version: 42, cursor: Cursor(sequence: 9), changed: false, isDone: false,
            isDuplicate: false)
        #expect(
            line(.sent(sent))
                == #"{"id":7,"ok":true,"v":42,"cur":"\#(Self.zero)9","changed":false}"# + "\n")
        sent.changed = true
        sent.isDone = true
        sent.isDuplicate = true
        #expect(
            line(.sent(sent))
                == #"{"id":7,"ok":true,"v":42,"cur":"\#(Self.zero)9","changed":true,"#
                + #""done":true,"dup":true}"# + "\n")
    }

    @Test func `a request without an id has no reply, an unreadable id is null`() {
        #expect(line(.done, DecodedLine.Answer.none) == "")
        #expect(line(.done, .null) == #"{"id":null,"ok":true}"# + "\n")
    }

    @Test func `create`() {
        let created = Reply.Created(
            cursor: Cursor(sequence: 1), state: Array("{}".utf8), outputs: [Self.output],
            isDone: true, isDuplicate: true)
        #expect(
            line(.created(created))
                == #"{"id":7,"ok":true,"v":0,"cur":"\#(Self.zero)1","state":{},"#
                + #""outputs":[{"type":"made"}],"done":true,"dup":true}"# + "\n")
    }

    @Test func `get`() {
        let definition = Reply.DefinitionItem(name: "order", version: "1.0.0", hash: "ab")
        let got = Reply.Got(
            version: 3, state: Array("[1]".utf8), isDone: true, result: Array("5".utf8),
            definition: definition)
        #expect(
            line(.got(got))
                == #"{"id":7,"ok":true,"state":[1],"v":3,"done":true,"result":5,"definition":"#
                + #"{"name":"order","version":"1.0.0","hash":"ab"},"timers":[],"effects":[]}"#
                + "\n")
    }

    @Test func `list`() throws {
        let item = Reply.ListItem(
            name: try #require(InstanceName("order/o")), version: 3, state: Array("1".utf8),
            isDone: false, updated: Timestamp(milliseconds: 1))
        #expect(
            line(.listed([item, item], next: "order/o"))
                == #"{"id":7,"ok":true,"items":["#
                + #"{"to":"order/o","v":3,"state":1,"done":false,"#
                + #""updated":"1970-01-01T00:00:00.001Z"},"#
                + #"{"to":"order/o","v":3,"state":1,"done":false,"#
                + #""updated":"1970-01-01T00:00:00.001Z"}],"next":"order/o"}"# + "\n")
        #expect(line(.listed([], next: nil)) == #"{"id":7,"ok":true,"items":[]}"# + "\n")
    }

    @Test func `history`() throws {
        var first = try record(1)
        first.state = Array("2".utf8)
        first.dedup = Array("k\"".utf8)
        var second = try record(2)
        second.outputs = [Self.output]
        #expect(
            line(.history([first, second], next: 2))
                == #"{"id":7,"ok":true,"items":[{"v":1,"event":"PAY","outputs":[],"state":2,"#
                + #""at":"1970-01-01T00:00:00.000Z","dedup":"k\""},"#
                + #"{"v":2,"event":"PAY","outputs":[{"type":"made"}],"#
                + #""at":"1970-01-01T00:00:00.000Z"}],"next":2}"# + "\n")
    }

    @Test func `subscribe, stop, definitions, stats`() {
        let name = SubscriptionName(Array("s1".utf8))
        #expect(
            line(.subscribed(name, current: Cursor(sequence: 5), first: Cursor(sequence: 0)))
                == #"{"id":7,"ok":true,"sub":"s1","cur":"\#(Self.zero)5","first":"\#(Self.zero)0"}"#
                + "\n")
        #expect(
            line(.stopped(version: 2, cursor: Cursor(sequence: 5)))
                == #"{"id":7,"ok":true,"v":2,"cur":"\#(Self.zero)5"}"# + "\n")
        #expect(
            line(
                .definitions([
                    Reply.Hosted(
                        definition: Reply.DefinitionItem(name: "a", version: "1", hash: nil),
                        takes: nil)
                ]))
                == #"{"id":7,"ok":true,"items":[{"name":"a","version":"1"}]}"# + "\n")
        #expect(
            line(.statistics([("a", 1), ("b", -2)])) == #"{"id":7,"ok":true,"a":1,"b":-2}"# + "\n")
    }

    @Test func `a refusal`() {
        #expect(
            line(.failure(.versionConflict(expected: "41", actual: 45)))
                == #"{"id":7,"error":{"code":"VERSION_CONFLICT","message":"expected 41, is 45","#
                + #""retry":false,"data":{"v":45}}}"# + "\n")
    }
}
