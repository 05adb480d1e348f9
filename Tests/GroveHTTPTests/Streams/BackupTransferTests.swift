import GroveWire
import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("BackupTransfer")
struct BackupTransferTests {
    private func line(_ transfer: BackupTransfer) -> String {
        var writer = JSONWriter()
        transfer.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `it asks for the progress once a second, then for pieces, then for the end`() {
        var transfer = BackupTransfer(id: "b-1")
        #expect(!transfer.hasLine)
        transfer.isDue = true
        #expect(transfer.hasLine)
        #expect(line(transfer) == #"{"op":"backup","id":0,"backup":"b-1"}"# + "\n")
        transfer.length = 100
        transfer.isDue = false
        #expect(transfer.hasLine && !transfer.isComplete)
        transfer.sent = 40
        #expect(
            line(transfer)
                == #"{"op":"backup","id":0,"backup":"b-1","offset":40,"bytes":49152}"# + "\n")
        transfer.isAsking = true
        #expect(!transfer.hasLine)
        transfer.sent = 100
        #expect(transfer.isComplete)
        #expect(line(transfer) == #"{"op":"backup","id":0,"backup":"b-1","end":true}"# + "\n")
    }

    @Test(arguments: [
        #"{"id":0,"ok":true,"backup":"b-1","offset":4,"data":"","crc32":0}"#,
        #"{"id":0,"error":{"code":"STORAGE_ERROR","message":"it broke","retry":false}}"#,
    ])
    func `a copy that ends early ends the connection amid its answer`(reply: String) {
        var context = HTTPContext(HTTPSettings())
        var connection = HTTPConnection(context)
        var transfer = BackupTransfer(id: "b-1")
        (transfer.length, transfer.sent, transfer.isAsking) = (10, 4, true)
        connection.phase = .copying(Exchange(refused: nil), transfer)
        let line = Array((reply + "\n").utf8)
        let count = line.withUnsafeBytes { connection.translate($0, using: &context) }
        #expect(count == line.count)
        #expect(connection.end == .httpRefused && connection.outbound.isEmpty)
    }
}
