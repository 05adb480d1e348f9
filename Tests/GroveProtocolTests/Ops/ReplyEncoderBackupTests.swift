import GroveEngine
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("ReplyEncoder: backup")
struct ReplyEncoderBackupTests {
    private func line(_ backup: Reply.Backup) -> String {
        var encoder = ReplyEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        var writer = JSONWriter()
        let seven = DecodedLine.Answer.id([UInt8(0x37)].withUnsafeBytes { RequestID($0) })
        encoder.append(.backup(backup), to: seven, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `the reply has the progress of a copy, and its length when complete`() {
        #expect(
            line(.state("b-1", BackupProgress(copied: 2, pages: 5)))
                == #"{"id":7,"ok":true,"backup":"b-1","copied":2,"pages":5}"# + "\n")
        #expect(
            line(.state("b-1", BackupProgress(copied: 5, pages: 5, bytes: 40_960)))
                == #"{"id":7,"ok":true,"backup":"b-1","copied":5,"pages":5,"bytes":40960}"# + "\n")
    }

    @Test func `carries bytes as base64 with their checksum`() {
        #expect(
            line(.chunk("b-1", offset: 9, Array("123456789".utf8)))
                == #"{"id":7,"ok":true,"backup":"b-1","offset":9,"data":"MTIzNDU2Nzg5","#
                + #""crc32":3421780262}"# + "\n")
        #expect(
            line(.chunk("b-1", offset: 9, []))
                == #"{"id":7,"ok":true,"backup":"b-1","offset":9,"data":"","crc32":0}"# + "\n")
    }
}
