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
}
