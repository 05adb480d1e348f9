import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A restored file in the place of another one, and never beside a log that isn't its own.
@Suite("DataFileSwap")
struct DataFileSwapTests {
    private let folder = TestDirectory.make()
    private var path: String { folder + "/grove.db" }
    private var restored: String { folder + "/grove.db.restoring" }
    private var former: String { folder + "/grove.db.before-T" }

    /// Makes a closed data file with this number of steps.
    private func make(_ path: String, steps: Int) throws {
        let store = try SQLiteStore.open(path: path)
        try fill(store, steps: steps)
        try store.close()
    }

    private func fill(_ store: SQLiteStore, steps: Int) throws {
        var model = StoreModel()
        model.create("counter/a")
        for _ in 1..<steps { model.step("counter/a") }
        try store.commit(model.takeWrites())
    }

    /// The number of steps of a file, whose log is moved into it.
    private func steps(_ path: String) throws -> Int64 {
        let store = try SQLiteStore.open(path: path)
        defer { try? store.close() }
        #expect(try store.checkAll() == [])
        return store.head
    }

    /// Makes a file with a log, as a crash leaves it: copies of an open one.
    private func makeCrashed(_ path: String, steps: Int) throws {
        let origin = folder + "/origin"
        let store = try SQLiteStore.open(path: origin)
        try fill(store, steps: steps)
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: origin + end, toPath: path + end)
        }
        try store.close()
        try FileManager.default.removeItem(atPath: origin)
        try #require(StoreFile.size(path + "-wal") ?? 0 > 0)
    }

    /// Damages the present file and its log, so that no start opens them.
    private func damage() throws {
        for end in ["", "-wal"] {
            let handle = try FileHandle(forUpdating: URL(filePath: path + end))
            try handle.seek(toOffset: 100)
            try handle.write(contentsOf: Data(repeating: 0xFF, count: 60_000))
            try handle.close()
        }
    }

    /// Puts the restored file in the place, as the command does.
    private func put() throws(StoreOpenError) -> DataFileSwap.Former? {
        let outcome = try DataFileSwap(path).put(restored, at: "T")
        #expect(outcome.doubt == nil)
        return outcome.former
    }

    /// The bytes of a file and of its log.
    private func bytes(_ path: String) throws -> [Data] {
        try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) }
    }

    private func link(_ from: String, _ to: String) throws {
        try FileManager.default.linkItem(atPath: from, toPath: to)
    }

    private func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `an empty place is filled`() throws {
        try make(restored, steps: 3)
        #expect(try put() == nil)
        #expect(try names() == ["grove.db"])
        #expect(try steps(path) == 3)
    }

    @Test func `the present file is kept whole, with what only its log had`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        #expect(try put() == .init(path: former, hasFile: true, damage: nil))
        #expect(try names() == ["grove.db", "grove.db.before-T"])
        #expect(try steps(path) == 3 && steps(former) == 7)
    }

    @Test func `a closed file stays as it was, byte for byte, and a taken name gets a number`()
        throws
    {
        try make(restored, steps: 3)
        try make(path, steps: 7)
        let before = try Data(contentsOf: URL(filePath: path))
        try Data().write(to: URL(filePath: former + "-wal"))
        #expect(try put()?.path == former + "-2")
        #expect(try Data(contentsOf: URL(filePath: former + "-2")) == before)
        #expect(try steps(path) == 3)
    }

    @Test func `a damaged file goes away with its log`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try damage()
        let before = try bytes(path)
        let kept = try #require(try put())
        #expect(kept.path == former && kept.damage?.contains("damaged") == true, "\(kept)")
        #expect(try names() == ["grove.db", "grove.db.before-T", "grove.db.before-T-wal"])
        #expect(try bytes(former) == before)
        #expect(try steps(path) == 3)
    }

    /// A start would migrate the file, and the Grove that wrote it couldn't open it then.
    @Test func `a file of another schema stays as it was, with its log`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: 60)
        try handle.write(contentsOf: Data([0, 0, 0, 7]))
        try handle.close()
        let before = try bytes(path)
        #expect(try put()?.path == former)
        #expect(try bytes(former) == before)
        #expect(try steps(path) == 3)
    }

    @Test(arguments: ["", "no data file"])
    func `what a failing disk left is moved away`(content: String) throws {
        try make(restored, steps: 3)
        try Data(content.utf8).write(to: URL(filePath: path))
        let text = content.isEmpty ? "it is empty" : "it is no data file"
        #expect(try put() == .init(path: former, hasFile: true, damage: text))
        #expect(try String(contentsOfFile: former, encoding: .utf8) == content)
        #expect(try steps(path) == 3)
    }

    /// The states in which a command that was killed leaves a damaged file: its log has a second
    /// name; both have; the log has only the second one.
    @Test(arguments: 1...3)
    func `after a kill all parts have one name`(moves: Int) throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try damage()
        let before = try bytes(path)
        let name = path + ".before-S"
        try link(path + "-wal", name + "-wal")
        if moves > 1 { try link(path, name) }
        if moves > 2 { try remove(path + "-wal") }
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(try put()?.path == name)
        #expect(try names() == ["grove.db", "grove.db.before-S", "grove.db.before-S-wal"])
        #expect(try bytes(name) == before)
        #expect(try steps(path) == 3)
    }

    /// A closed server's file has no log, and one that is in use is never without one.
    @Test func `between the moves every server refuses the file`() throws {
        try makeCrashed(path, steps: 7)
        try remove(path + "-wal")
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(error?.exitCode == 65)
    }

    @Test(arguments: [false, true])
    func `where the restored file can't come, the present one is as it was`(
        isDamaged: Bool
    ) throws {
        try makeCrashed(path, steps: 7)
        if isDamaged { try damage() }
        let before = try bytes(path)
        #expect(throws: StoreOpenError.self) { try put() }
        if isDamaged {
            #expect(try names() == ["grove.db", "grove.db-wal"])
            #expect(try bytes(path) == before)
        } else {
            #expect(try names() == ["grove.db"])
            #expect(try steps(path) == 7)
        }
    }

    @Test func `a restored file with a log isn't taken`() throws {
        try makeCrashed(restored, steps: 3)
        try make(path, steps: 7)
        #expect(throws: StoreOpenError.full) { try put() }
        #expect(try steps(path) == 7)
        try DataFileSwap.makeCopy(restored)
        #expect(try put()?.path == former)
        #expect(try steps(path) == 3)
    }

    /// The log of a running server looks like a destroyed file.
    @Test(arguments: ["-wal", "-shm", "-journal", "-crash"])
    func `what belongs to a data file isn't a place for another one`(ending: String) throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        #expect(throws: StoreOpenError.self) { try DataFileSwap(path + ending) }
        #expect(try steps(path) == 7)
    }

    /// Effects of both would have the same keys, and cursors of the one would hold in the other.
    @Test func `a copy is another log, however it was made`() throws {
        try make(path, steps: 3)
        let store = try SQLiteStore.open(path: path)
        let log = store.logID
        try store.close()
        for end in ["", "-wal"] where StoreFile.size(path + end) != nil {
            try FileManager.default.copyItem(atPath: path + end, toPath: restored + end)
        }
        try DataFileSwap.makeCopy(restored)
        var ids = [log]
        for _ in 0..<2 {
            let copy = try SQLiteStore.open(path: restored)
            ids.append(copy.logID)
            try copy.close()
        }
        #expect(ids[1] != log && ids[2] == ids[1], "another one, and then always the same")
    }

    /// A server that starts between the moves must not make an empty file.
    @Test func `a log without its file isn't given to another one`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try remove(path)
        let kept = try put()
        #expect(kept?.path == former && kept?.hasFile == false)
        #expect(try names() == ["grove.db", "grove.db.before-T-wal"])
        #expect(try steps(path) == 3)
    }

    @Test func `a file that only holds the place isn't kept, and no server takes it`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try remove(path)
        try link(path + "-wal", path + ".before-S-wal")
        let text = "A restore was interrupted here: repeat 'grove restore'.\n"
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(try put()?.hasFile == false)
        #expect(try names() == ["grove.db", "grove.db.before-S-wal"])
        #expect(try steps(path) == 3)
    }

    @Test func `a rollback journal goes away too`() throws {
        try make(restored, steps: 3)
        try make(path, steps: 7)
        try Data("journal".utf8).write(to: URL(filePath: path + "-journal"))
        #expect(try put()?.damage?.contains("journal") == true)
        #expect(try names() == ["grove.db", "grove.db.before-T", "grove.db.before-T-journal"])
        #expect(try steps(path) == 3)
    }

    @Test func `a file in use and another program's database stay`() throws {
        try make(restored, steps: 3)
        let store = try SQLiteStore.open(path: path)
        let inUse = #expect(throws: StoreOpenError.self) { try DataFileSwap(path) }
        #expect(inUse?.exitCode == 73)
        try store.close()
        try remove(path)
        let made = try run("sqlite3", path, "CREATE TABLE other (a)")
        try #require(made.code == 0, "\(made.output)")
        let foreign = #expect(throws: StoreOpenError.self) { try DataFileSwap(path) }
        #expect(foreign?.description.contains("another program") == true)
        #expect(try names() == ["grove.db", "grove.db.restoring"])
        #expect(try steps(restored) == 3)
    }

    @Test func `what is no file is refused at once`() throws {
        try make(restored, steps: 3)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: restored)
        mkfifo(folder + "/pipe", 0o600)
        for name in ["grove.db", "pipe", "", "none/grove.db"] {
            #expect(throws: StoreOpenError.self) { try DataFileSwap(folder + "/" + name) }
        }
        #expect(try steps(restored) == 3)
    }

    @Test func `the place is locked as long as it is held`() throws {
        try make(restored, steps: 3)
        try make(path, steps: 7)
        let place = try DataFileSwap(path)
        for other in [path, folder + "/new.db"] {
            let error = #expect(throws: StoreOpenError.self) { try DataFileSwap(other) }
            #expect(error?.exitCode == 73)
        }
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(try place.put(restored, at: "T").former?.path == former)
        #expect(try steps(path) == 3)
    }

    @Test func `a file that another program puts in the place meanwhile stays`() throws {
        try make(restored, steps: 3)
        let empty = try DataFileSwap(path)
        try make(path, steps: 7)
        #expect(throws: StoreOpenError.self) { try empty.put(restored, at: "T") }
        #expect(try steps(path) == 7 && steps(restored) == 3)
    }

    @Test func `a copy is whole, and takes no name that is there`() throws {
        try makeCrashed(path, steps: 7)
        try StoreFile.copy(path, to: former)
        try StoreFile.copy(path + "-wal", to: former + "-wal")
        #expect(try bytes(path) == bytes(former))
        #expect(throws: StoreOpenError.self) { try StoreFile.copy(path, to: former) }
        #expect(try steps(former) == 7)
    }

    @Test func `a bare name is in the present directory`() throws {
        #expect(StoreFile.directory(of: "grove.db") == ".")
        #expect(StoreFile.directory(of: "/grove.db") == "/")
        #expect(StoreFile.directory(of: "a/b") == "a/")
        try StoreFile.syncDirectory(of: "grove.db")
        try StoreFile.syncDirectory(of: path)
    }
}
