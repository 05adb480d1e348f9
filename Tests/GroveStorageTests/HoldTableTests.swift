import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

@Suite("holds in a data file")
struct HoldTableTests {
    private static let hold = Hold(
        kind: .setAside, since: Timestamp(milliseconds: 7), reason: "a trap",
        definitionVersion: "2")

    private func subject(_ text: String) throws -> HoldSubject {
        try #require(HoldSubject(text: text))
    }

    private func commit(_ holds: [String: Hold?], to store: any Store) throws {
        var writes = WriteSet(firstSequence: store.head + 1)
        for (text, hold) in holds { writes.holds[try subject(text)] = .some(hold) }
        #expect(!writes.isEmpty)
        try store.commit(writes)
    }

    @Test(arguments: StoreKind.allCases)
    func `holds are kept by name, changed and removed`(kind: StoreKind) throws {
        let store = try kind.make()
        #expect(store.holds.isEmpty)
        let suspended = Hold(kind: .suspended, since: Timestamp(milliseconds: 9))
        try commit(["m": suspended, "m/a": Self.hold, "m/b": Self.hold], to: store)
        try commit(["m/a": suspended, "m/b": nil, "m/never": nil], to: store)
        #expect(store.holds == [try subject("m"): suspended, try subject("m/a"): suspended])
    }

    @Test(arguments: [true, false])
    func `holds outlive the process`(isClosed: Bool) throws {
        let path = TestDirectory.make() + "/data.grove"
        var store = try SQLiteStore.open(path: path)
        try commit(["m": Self.hold, "m/a": Self.hold], to: store)
        if isClosed { try store.close() } else { store.shutDown() }
        store = try SQLiteStore.open(path: path)
        #expect(store.holds == [try subject("m"): Self.hold, try subject("m/a"): Self.hold])
        #expect(try store.checkAll().isEmpty)
    }

    @Test func `holds are in a copy`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        let suspended = Hold(kind: .suspended, since: Timestamp(milliseconds: 9), reason: "repair")
        try commit(["m": suspended, "m/a": Self.hold], to: store)
        let backup = try store.beginBackup()
        while backup.progress.bytes == nil { try backup.step() }
        let bytes = try #require(backup.progress.bytes)
        let path = TestDirectory.make() + "/copy.grove"
        var data: [UInt8] = []
        while Int64(data.count) < bytes {
            data += try backup.read(at: Int64(data.count), count: 100_000)
        }
        try Data(data).write(to: URL(fileURLWithPath: path))
        let copy = try SQLiteStore.open(path: path)
        #expect(copy.holds == [try subject("m"): suspended, try subject("m/a"): Self.hold])
        #expect(try copy.checkAll().isEmpty)
        try copy.close()
        try store.close()
    }

    @Test(arguments: [1, 2, 3])
    func `holds can be added to a file of an older schema`(schema: Int) throws {
        let (old, _) = try filledStore(.small, beside: "b/b", steps: 60)
        let path = old.path
        try old.close()
        try makeOld(path, schema: schema)
        let looked = try SQLiteStore.inspect(path: path)
        #expect(looked.holds.isEmpty)
        looked.shutDown()
        var store = try SQLiteStore.open(path: path)
        #expect(store.holds.isEmpty)
        try commit(["m": Self.hold], to: store)
        try store.close()
        #expect(try sqlite(path, "PRAGMA user_version") == "8\n")
        store = try SQLiteStore.open(path: path)
        #expect(store.holds.count == 1)
        #expect(try store.checkAll().isEmpty)
    }

    @Test(arguments: [
        "UPDATE holds SET subject = 'n'", "UPDATE holds SET hold = x'0200'",
        "UPDATE holds SET crc = crc + 1",
    ])
    func `a damaged row is noticed`(sql: String) throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        try commit(["m": Self.hold], to: store)
        try store.close()
        try sqlite(path, sql)
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
    }
}
