import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// SQLite takes a log that it can't read for an empty one: then what was committed last would be
/// gone without a word.
@Suite("LogHeader")
struct LogHeaderTests {
    private let path = TestDirectory.make() + "/grove.db"

    /// A data file with its log, as a crash leaves both.
    private func crash() throws {
        let origin = TestDirectory.make() + "/origin"
        let store = try SQLiteStore.open(path: origin)
        var model = StoreModel()
        model.create("counter/a")
        try store.commit(model.takeWrites())
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: origin + end, toPath: path + end)
        }
        try store.close()
    }

    @Test func `the log of a crash is one`() throws {
        try crash()
        #expect(LogHeader.isValid(path + "-wal"))
        let store = try SQLiteStore.open(path: path)
        #expect(store.head == 1)
        try store.close()
        #expect(!LogHeader.isValid(path + "-wal") && !LogHeader.isValid(path))
    }

    @Test(arguments: [0..<4, 4..<8, 8..<24, 24..<32, 0..<32, 0..<1])
    func `a log that can't be read is refused, and stays`(part: Range<Int>) throws {
        try crash()
        let log = URL(filePath: path + "-wal")
        var bytes = try Data(contentsOf: log)
        for place in part { bytes[place] ^= 0x55 }
        if part.count == 1 { bytes = bytes.prefix(1) }
        try bytes.write(to: log)
        #expect(!LogHeader.isValid(path + "-wal"))
        for inspects in [true, false] {
            let error = #expect(throws: StoreOpenError.self) {
                if inspects {
                    _ = try SQLiteStore.inspect(path: path)
                } else {
                    _ = try SQLiteStore.open(path: path)
                }
            }
            #expect("\(try #require(error))".contains("no log"), "\(String(describing: error))")
        }
        #expect(try Data(contentsOf: log) == bytes)
    }
}
