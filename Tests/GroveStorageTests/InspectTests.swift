import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// An inspection changes nothing in a data file, in any condition.
@Suite("Inspecting a data file")
struct InspectTests {
    private func prepared(isClosed: Bool) throws -> (directory: String, head: JournalPosition) {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        var model = StoreModel()
        var random = SeededRandom(seed: 8)
        for _ in 0..<30 {
            model.change(&random)
            try store.commit(model.takeWrites())
        }
        if isClosed { try store.close() } else { store.shutDown() }
        return (directory, model.head)
    }

    @Test(arguments: [true, false], [true, false])
    func `an inspection reads everything and changes no byte and no name`(
        isClosed: Bool, endsByClose: Bool
    ) throws {
        let (directory, head) = try prepared(isClosed: isClosed)
        let before = try TestDirectory.bytes(directory)
        let store = try SQLiteStore.inspect(path: directory + "/data.grove")
        #expect(store.head == head && !store.isCopy)
        #expect(try store.checkAll() == [])
        #expect(try store.instances(prefix: "", after: nil, limit: 1).count == 1)
        if endsByClose { try store.close() } else { store.shutDown() }
        #expect(try TestDirectory.bytes(directory) == before)
        let server = try SQLiteStore.open(path: directory + "/data.grove")
        #expect(server.head == head)
        try server.close()
    }

    @Test func `a file that a server has open can't be inspected`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.inspect(path: path) }
        #expect(error?.exitCode == 73)
        try store.close()
    }

    @Test func `a missing file is not made`() throws {
        let directory = TestDirectory.make()
        let error = #expect(throws: StoreOpenError.self) {
            try SQLiteStore.inspect(path: directory + "/none.grove")
        }
        #expect(error?.exitCode == 78)
        #expect(try TestDirectory.names(directory).isEmpty)
    }

    @Test func `a copy is recognized until a server has opened it`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        let backup = try store.beginBackup()
        while backup.progress.bytes == nil { try backup.step() }
        let path = TestDirectory.make() + "/copy.grove"
        try Data(try backup.read(at: 0, count: 1 << 20)).write(to: URL(fileURLWithPath: path))
        backup.end()
        try store.close()
        for _ in 0..<2 {
            let copy = try SQLiteStore.inspect(path: path)
            #expect(copy.isCopy)
            #expect(try copy.checkAll() == [])
            try copy.close()
        }
        try SQLiteStore.open(path: path).close()
        let opened = try SQLiteStore.inspect(path: path)
        #expect(!opened.isCopy)
        try opened.close()
    }

    @Test(
        .enabled(if: ReadOnlyMount.isPossible, "the superuser writes anything here"),
        arguments: ["data.grove", "100% done? #1.grove"])
    func `a file without a log is read where nothing can be written`(name: String) throws {
        let (directory, head) = try prepared(isClosed: true)
        let path = "\(directory)/\(name)"
        rename(directory + "/data.grove", path)
        chmod(path, 0o400)
        chmod(directory, 0o500)
        defer { chmod(directory, 0o700) }
        let mount = ReadOnlyMount.isNeeded ? try ReadOnlyMount(directory) : nil
        try #require(access(directory, W_OK) != 0 && access(path, W_OK) != 0)
        let store = try SQLiteStore.inspect(path: path)
        #expect(store.head == head)
        #expect(try store.checkAll() == [])
        try store.close()
        try mount?.end()
    }

    @Test(.enabled(if: ReadOnlyMount.isPossible, "the superuser writes anything here"))
    func `a log beside a read-only file is not ignored`() throws {
        let (directory, head) = try prepared(isClosed: false)
        let path = directory + "/data.grove"
        chmod(path, 0o400)
        let mount = ReadOnlyMount.isNeeded ? try ReadOnlyMount(directory) : nil
        try #require(access(path, W_OK) != 0)
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.inspect(path: path) }
        #expect(error?.exitCode == 74)
        #expect(error?.description.contains("write-ahead log beside it") == true)
        try mount?.end()
        chmod(path, 0o600)
        let store = try SQLiteStore.open(path: path)
        #expect(store.head == head)
        try store.close()
    }
}
