import BuiltInMachines
import GroveEngine
import GroveWire
import Testing

@testable import GroveProtocol

@Suite("RequestDecoder: backup and import")
struct RequestDecoderBackupTests {
    private struct Unexpected: Error {
        let text: String
    }

    private func decode(_ members: String) throws -> DecodedLine.Body {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        return Array("{\(members)}".utf8).withUnsafeBytes { decoder.decode($0) }.body
    }

    private func action(_ members: String) throws -> BackupRequest.Action {
        let body = try decode(#""op":"backup""# + members)
        guard case .operation(.backup(let request)) = body else {
            throw Unexpected(text: "\(body)")
        }
        return request.action
    }

    @Test func `the members of a backup select its step`() throws {
        #expect(try action("") == .begin)
        #expect(try action(#","end":false"#) == .begin)
        #expect(try action(#","backup":"b-1""#) == .look("b-1"))
        #expect(
            try action(#","backup":"b-1","offset":0"#)
                == .read("b-1", offset: 0, count: Limits.backupChunkBytesMax))
        #expect(
            try action(#","backup":"b-1","offset":7,"bytes":9"#)
                == .read("b-1", offset: 7, count: 9))
        #expect(try action(#","backup":"b-1","end":true"#) == .end("b-1"))
    }

    @Test func `an import has the bytes of the state`() throws {
        let body = try decode(
            #""op":"import","to":"counter/a","v":3,"state":{"count": 1.50},"done":true,"#
                + #""result":"stopped","dedup":"k","trial":true"#)
        guard case .operation(.importing(let item)) = body else {
            throw Unexpected(text: "\(body)")
        }
        #expect(item.to.text == "counter/a" && item.version == 3 && item.isDone && item.isTrial)
        #expect(item.state == Array(#"{"count": 1.50}"#.utf8))
        #expect(item.result == Array(#""stopped""#.utf8) && item.dedup == Array("k".utf8))
    }

    @Test(arguments: [
        (#""op":"backup","backup":5"#, "$.backup"), (#""op":"backup","offset":0"#, "$.offset"),
        (#""op":"backup","bytes":5"#, "$.bytes"), (#""op":"backup","end":true"#, "$.end"),
        (#""op":"backup","end":1"#, "$.end"), (#""op":"backup","backup":"b","bytes":5"#, "$.bytes"),
        (#""op":"backup","backup":"b","offset":-1"#, "$.offset"),
        (#""op":"backup","backup":"b","offset":0,"bytes":0"#, "$.bytes"),
        (#""op":"backup","backup":"b","offset":0,"bytes":262145"#, "$.bytes"),
        (#""op":"backup","backup":"b","offset":0,"end":true"#, "$.end"),
        (#""op":"import","v":1,"state":1"#, "$.to"),
        (#""op":"import","to":"a/b","state":1"#, "$.v"),
        (#""op":"import","to":"a/b","v":-1,"state":1"#, "$.v"),
        (#""op":"import","to":"a/b","v":1"#, "$.state"),
        (#""op":"import","to":"a/b","v":1,"state":1,"done":0"#, "$.done"),
        (#""op":"import","to":"a/b","v":1,"state":1,"trial":0"#, "$.trial"),
        (#""op":"import","to":"a/b","v":1,"state":1,"dedup":"""#, "$.dedup"),
    ])
    func `the error has the mistake and its path`(members: String, path: String) throws {
        guard case .refusal(let error) = try decode(members) else {
            throw Unexpected(text: members)
        }
        #expect(error.code == .badRequest)
        #expect(String(decoding: error.data, as: UTF8.self) == #"{"at":"\#(path)"}"#)
    }

    @Test func `a version to import leaves room for as many again`() throws {
        func body(_ version: Int64) throws -> DecodedLine.Body {
            try decode(#""op":"import","to":"counter/c","v":\#(version),"state":{}"#)
        }
        guard case .operation(.importing(let item)) = try body(Limits.importedVersionMax) else {
            Issue.record("the highest version is refused")
            return
        }
        #expect(item.version == 1 << 52)
        guard case .refusal(let error) = try body(Limits.importedVersionMax + 1) else {
            Issue.record("a higher version is taken")
            return
        }
        #expect(error.code == .badRequest && error.path == "$.v")
    }
}
