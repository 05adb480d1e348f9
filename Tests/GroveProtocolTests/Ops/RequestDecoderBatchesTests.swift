import BuiltInMachines
import GroveEngine
import GroveWire
import Testing

@testable import GroveProtocol

@Suite("RequestDecoder, batch")
struct RequestDecoderBatchesTests {
    private func decode(_ text: String) throws -> DecodedLine.Body {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        return Array(text.utf8).withUnsafeBytes { decoder.decode($0) }.body
    }

    private func batch(_ items: String) throws -> SendBatch {
        guard case .operation(.batch(let batch)) = try decode(#"{"op":"batch","items":\#(items)}"#)
        else { throw Unexpected() }
        return batch
    }

    private struct Unexpected: Error {}

    @Test func `an item is a send with all its fields`() throws {
        let batch = try batch(
            #"[{"to":"counter/a","event":"increment","dedup":"k","expect":3,"create":"never","#
                + #""reply":"full","x":1}]"#)
        #expect(!batch.isAtomic)
        guard case .send(let send)? = batch.items.first else { throw Unexpected() }
        #expect(send.to.text == "counter/a" && send.dedup == Array("k".utf8))
        #expect(send.expect == .version(3) && send.create == .never && send.reply == .full)
        #expect(send.eventText == Array(#""increment""#.utf8))
    }

    @Test(arguments: [
        ("{}", "$.items[0].to"), (#"{"to":"counter/a"}"#, "$.items[0].event"),
        (#"{"to":"counter/a","event":7}"#, "$.items[0].event"),
        (#"{"to":"counter/a","event":{}}"#, "$.items[0].event.type"),
        (#"{"to":"counter/a","event":"x","dedup":""}"#, "$.items[0].dedup"),
        (#"{"to":"counter/a","event":"x","expect":-1}"#, "$.items[0].expect"),
        (#"{"to":"counter/a","event":"x","settle":"tree"}"#, "$.items[0].settle"),
        (#"{"to":"counter/a","event":"x","timeout_ms":5}"#, "$.items[0].timeout_ms"),
        (#"{"op":"create","to":"counter/a","event":"x"}"#, "$.items[0].op"), ("[]", "$.items[0]"),
    ])
    func `an error in an item has the path from the line's root`(
        item: String, path: String
    ) throws {
        guard case .refused(.badRequest(let actual, _))? = try batch("[\(item)]").items.first
        else { throw Unexpected() }
        #expect(actual == path)
    }

    @Test func `the items of a batch are bounded`() throws {
        let item = #"{"to":"counter/a","event":"increment"}"#
        func list(_ count: Int) -> String {
            "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
        }
        #expect(try batch(list(Limits.batchItemsMax)).items.count == Limits.batchItemsMax)
        guard
            case .refusal(let error) = try decode(
                #"{"op":"batch","id":1,"items":\#(list(Limits.batchItemsMax + 1))}"#)
        else { throw Unexpected() }
        #expect(error.code == .badRequest && error.path == "$.items")
    }

    @Test func `can takes an instance and an event`() throws {
        guard
            case .operation(.can(let can)) = try decode(
                #"{"op":"can","to":"counter/a","event":"increment"}"#)
        else { throw Unexpected() }
        #expect(can.to.text == "counter/a")
        guard case .decoded = can.event else { throw Unexpected() }
        guard case .refusal(let error) = try decode(#"{"op":"can","to":"counter/a"}"#) else {
            throw Unexpected()
        }
        #expect(error.path == "$.event")
    }

    @Test func `describe takes a name and a format`() throws {
        guard
            case .operation(.describe(let query)) = try decode(
                #"{"op":"describe","name":"order/1"}"#)
        else { throw Unexpected() }
        #expect(query.subject == .instance(try #require(InstanceName("order/1"))))
        let formats = [
            ("", false), (#","format":"mermaid""#, false), (#","format":"dot""#, true),
        ]
        for (format, isDot) in formats {
            guard
                case .operation(.describe(let query)) = try decode(
                    #"{"op":"describe","name":"order"\#(format)}"#)
            else { throw Unexpected() }
            #expect(query.subject == .machine("order") && (query.format == .dot) == isDot)
        }
    }
}
