import GroveEngine
import Testing

@testable import GroveProtocol

@Suite("CursorText")
struct CursorTextTests {
    let text = CursorText(log: LogID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))

    private func read(_ cursor: String) -> Cursor? {
        Array(cursor.utf8).withUnsafeBytes { text.cursor($0) }
    }

    @Test func `the id of the log is base64url of its 128 bits`() {
        #expect(text.string(Cursor(sequence: 7)) == "ASNFZ4mrze_-3LqYdlQyEA7")
        let ones = CursorText(log: LogID(high: .max, low: .max))
        #expect(ones.string(Cursor(sequence: 0)) == "_____________________w0")
        let zeros = CursorText(log: LogID(high: 0, low: 0))
        #expect(zeros.string(Cursor(sequence: 0)) == String(repeating: "A", count: 22) + "0")
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 123_456_789, Int64.max])
    func `every cursor reads back`(sequence: Int64) {
        for index in [0, 1, 10, Int32.max - 1, Cursor.stepEnd] {
            let cursor = Cursor(sequence: sequence, index: index)
            #expect(read(text.string(cursor)) == cursor)
        }
    }

    @Test(arguments: [
        "", "7", "ASNFZ4mrze_-3LqYdlQyEA", "ASNFZ4mrze_-3LqYdlQyEA07", "ASNFZ4mrze_-3LqYdlQyEA-7",
        "ASNFZ4mrze_-3LqYdlQyEA7.", "ASNFZ4mrze_-3LqYdlQyEA.7", "ASNFZ4mrze_-3LqYdlQyEA7.01",
        "ASNFZ4mrze_-3LqYdlQyEA7.2147483647", "ASNFZ4mrze_-3LqYdlQyEA7.1.1",
        "ASNFZ4mrze_-3LqYdlQyEA9223372036854775808", "ASNFZ4mrze_-3LqYdlQyEA7 ",
        " ASNFZ4mrze_-3LqYdlQyEA7", "ASNFZ4mrze_-3LqYdlQyEB7", "bSNFZ4mrze_-3LqYdlQyEA7",
        "ASNFZ4mrze_-3LqYdlQyEA٣",
    ])
    func `a text that the server didn't write for this log is no cursor`(cursor: String) {
        #expect(read(cursor) == nil)
    }
}
