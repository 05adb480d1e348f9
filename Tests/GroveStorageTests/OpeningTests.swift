import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Files that are opened or refused, with the message; a refused file stays as it was.
@Suite("Opening a data file")
struct OpeningTests {
    /// A directory with a data file of a few commits, closed if `isClosed`, else as after a crash.
    private func prepared(isClosed: Bool) throws -> String {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        if isClosed { try store.close() } else { store.shutDown() }
        return directory
    }

    /// Opens and expects a refusal that changes nothing in the directory.
    @discardableResult
    private func refusal(
        _ directory: String, _ name: String = "data.grove"
    ) throws -> StoreOpenError {
        let before = try TestDirectory.contents(directory)
        let error = try #require(throws: StoreOpenError.self) {
            try SQLiteStore.open(path: directory + "/" + name)
        }
        #expect(try TestDirectory.contents(directory) == before, "\(error)")
        return error
    }

    private func patch(_ path: String, at offset: Int, _ bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    @Test func `opening makes a private file with its header, and nothing else`() throws {
        let directory = TestDirectory.make()
        let path = directory + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        stat(path + "-wal", &status)
        #expect(status.st_mode & 0o777 == 0o600)
        try store.close()
        #expect(try TestDirectory.names(directory) == ["data.grove"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(Array(bytes[68..<72]) == Array("Grov".utf8))
        #expect(Array(bytes[60..<64]) == [0, 0, 0, 8])
        #expect(Array(bytes[18..<20]) == [2, 2])
    }

    @Test(arguments: [true, false])
    func `opening finds everything committed`(isClosed: Bool) throws {
        var random = SeededRandom(seed: 11)
        let path = TestDirectory.make() + "/data.grove"
        var model = StoreModel()
        var logID: LogID?
        for _ in 0..<8 {
            let store = try SQLiteStore.open(path: path, options: .small)
            #expect(logID == nil || logID == store.logID)
            logID = store.logID
            #expect(try difference(store, model, isPurged: false, &random) == nil)
            for _ in 0..<10 {
                model.change(&random)
                try store.commit(model.takeWrites())
            }
            if Bool.random(using: &random) { _ = try store.purge() }
            if isClosed { try store.close() } else { store.shutDown() }
        }
        let store = try SQLiteStore.open(path: path)
        try purgeAll(store)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test func `purging continues after a crash`() throws {
        let path = TestDirectory.make() + "/data.grove"
        var store = try SQLiteStore.open(path: path, options: .small)
        var model = StoreModel()
        model.create("a/a")
        for round in 0..<2_000 { model.step("a/a", key: Array("k\(round)".utf8)) }
        model.create("a/aa")
        model.delete("a/a")
        try store.commit(model.takeWrites())
        var turns = 0
        while try store.purge() {
            turns += 1
            store.shutDown()
            store = try SQLiteStore.open(path: path, options: .small)
        }
        #expect(turns > 5)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test func `opening refuses a file that isn't a data file`() throws {
        let directory = TestDirectory.make()
        let path = directory + "/data.grove"
        for content in ["x", String(repeating: "no database ", count: 1_000)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            #expect(try refusal(directory).exitCode == 65)
        }
        try Data().write(to: URL(fileURLWithPath: path))
        let empty = try refusal(directory)
        #expect(empty.exitCode == 65)
        #expect(empty.description.contains("is empty"))
    }

    @Test func `refuses the SQLite file of another program`() throws {
        let directory = TestDirectory.make()
        try run("sqlite3", directory + "/data.grove", "CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        let error = try refusal(directory)
        #expect(error.exitCode == 65)
        #expect(error.description.contains("not a Grove data file"))
    }

    @Test(arguments: [true, false])
    func `refuses a newer schema, also with a log beside it`(isClosed: Bool) throws {
        let directory = try prepared(isClosed: isClosed)
        try patch(directory + "/data.grove", at: 60, [0, 0, 0, 9])
        #expect(try refusal(directory) == .newer(schema: 9, known: 8))
    }

    @Test func `opening refuses a schema that doesn't exist`() throws {
        let directory = try prepared(isClosed: true)
        try patch(directory + "/data.grove", at: 60, [0, 0, 0, 0])
        #expect(try refusal(directory).exitCode == 65)
    }

    @Test(
        arguments: [
            "CREATE TRIGGER t AFTER UPDATE ON instances BEGIN DELETE FROM journal; END",
            "CREATE VIEW v AS SELECT 1", "CREATE TABLE extra(x)",
            "CREATE INDEX i ON instances(size)", "DROP TABLE dedup",
            "DROP TABLE effects", "DROP INDEX effects_due", "DROP TABLE machine_floors",
            "ALTER TABLE journal ADD COLUMN extra",
        ], [true, false])
    func `opening refuses tables that aren't Grove's`(sql: String, isClosed: Bool) throws {
        let directory = try prepared(isClosed: isClosed)
        // Without its checkpoint at the end, the shell leaves its changes in the log.
        let path = directory + "/data.grove"
        if isClosed {
            try run("sqlite3", path, sql)
        } else {
            try run("sqlite3", path, ".dbconfig no_ckpt_on_close on", sql)
            #expect((StoreFile.size(path + "-wal") ?? 0) > 0)
            unlink(path + "-shm")
        }
        let error = try refusal(directory)
        #expect(error.exitCode == 65)
        #expect(error.description.contains("not Grove's"))
    }

    @Test func `refuses links, directories and devices`() throws {
        let directory = try prepared(isClosed: true)
        symlink(directory + "/data.grove", directory + "/link.grove")
        #expect(try refusal(directory, "link.grove").description.contains("symbolic link"))
        let outer = TestDirectory.make()
        mkdir(outer + "/dir", 0o700)
        let inDirectory = #expect(throws: StoreOpenError.self) {
            try SQLiteStore.open(path: outer + "/dir")
        }
        #expect(inDirectory?.exitCode == 65)
        let device = #expect(throws: StoreOpenError.self) {
            try SQLiteStore.open(path: "/dev/null")
        }
        #expect(device?.exitCode == 65)
    }

    @Test func `the error for a path names the mistake`() throws {
        let directory = TestDirectory.make()
        for path in ["/missing/data.grove", "/", "/..", "/."] {
            let error = #expect(throws: StoreOpenError.self) {
                try SQLiteStore.open(path: directory + path)
            }
            #expect(error?.exitCode == 78)
        }
        var options = SQLiteStoreOptions()
        options.createsFile = false
        #expect(throws: StoreOpenError.self) {
            try SQLiteStore.open(path: directory + "/data.grove", options: options)
        }
        #expect(try TestDirectory.names(directory).isEmpty)
    }

    @Test func `follows links in the directory of a file`() throws {
        let directory = try prepared(isClosed: true)
        let other = TestDirectory.make()
        symlink(directory, other + "/link")
        let store = try SQLiteStore.open(path: other + "/link/data.grove")
        #expect(store.path == directory + "/data.grove")
        #expect(store.head == JournalPosition(StoreModel.names.count))
        try store.close()
    }

    @Test func `opening removes other users' permissions`() throws {
        let directory = try prepared(isClosed: true)
        let path = directory + "/data.grove"
        chmod(path, 0o666)
        let store = try SQLiteStore.open(path: path)
        for name in [path, path + "-wal"] {
            var status = stat()
            stat(name, &status)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        try store.close()
    }

    @Test func `opening refuses a file without its log, and a missing file`() throws {
        let directory = try prepared(isClosed: false)
        let path = directory + "/data.grove"
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        unlink(path + "-wal")
        let error = try refusal(directory)
        #expect(error.exitCode == 65)
        #expect(error.description.contains("write-ahead log"))
        try Data().write(to: URL(fileURLWithPath: path + "-wal"))
        #expect(try refusal(directory).exitCode == 65)
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        rename(path, directory + "/elsewhere")
        #expect(try refusal(directory).exitCode == 65)
        rename(directory + "/elsewhere", path)
        try SQLiteStore.open(path: path).close()
    }

    @Test func `refuses a file without its log also after checkpoints and creations`() throws {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove", options: .small)
        var model = StoreModel()
        for name in StoreModel.names {
            model.create(name, state: Array(name.utf8))
            for round in 0..<50 { model.step(name, key: Array("\(round)".utf8)) }
            try store.commit(model.takeWrites())
        }
        #expect(store.counters.checkpoints > 0)
        store.shutDown()
        unlink(directory + "/data.grove-wal")
        #expect(try refusal(directory).description.contains("write-ahead log"))
    }

    @Test func `refuses a file with a rollback journal or another journal mode`() throws {
        let directory = try prepared(isClosed: true)
        let path = directory + "/data.grove"
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + "-journal"))
        #expect(try refusal(directory).exitCode == 65)
        unlink(path + "-journal")
        try run("sqlite3", path, "PRAGMA journal_mode=DELETE")
        #expect(try refusal(directory).description.contains("journal_mode"))
        try run("sqlite3", path, "PRAGMA journal_mode=WAL")
        try SQLiteStore.open(path: path).close()
    }

    @Test func `a file has one owner at a time`() throws {
        let directory = try prepared(isClosed: true)
        let path = directory + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        #expect(try refusal(directory).exitCode == 73)
        #expect(try run("flock", "--nonblock", path, "true").code == 1)
        let shell = try run("sqlite3", path, "DELETE FROM journal")
        #expect(shell.code != 0)
        #expect(shell.output.contains("locked"))
        #expect(try run("sqlite3", path, "SELECT count(*) FROM journal").code != 0)
        try store.close()
        try SQLiteStore.open(path: path).close()
    }

    @Test func `opening fails while another process owns the file`() throws {
        let directory = try prepared(isClosed: false)
        let path = directory + "/data.grove"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["flock", path, "sh", "-c", "echo ready; read line"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
        let error = try refusal(directory)
        #expect(error.exitCode == 73)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        process.waitUntilExit()
        let store = try SQLiteStore.open(path: path)
        #expect(store.head == JournalPosition(StoreModel.names.count))
        try store.close()
    }

    @Test func `opening fails while another program reads the file`() throws {
        let directory = try prepared(isClosed: true)
        let path = directory + "/data.grove"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let text = "BEGIN;\nSELECT count(*) FROM meta;\n"
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        _ = output.fileHandleForReading.availableData
        #expect(try refusal(directory).exitCode == 73)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        try SQLiteStore.open(path: path).close()
    }

    @Test func `opening makes the file again after a crash while making it`() throws {
        let directory = TestDirectory.make()
        let path = directory + "/data.grove"
        for left in [".new", ".new-journal", ".new-wal"] {
            try Data("left over".utf8).write(to: URL(fileURLWithPath: path + left))
        }
        let store = try SQLiteStore.open(path: path)
        try store.close()
        #expect(try TestDirectory.names(directory) == ["data.grove"])
    }

    @Test func `a closed store answers nothing`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        try store.close()
        try store.close()
        #expect(throws: StoreError.self) { try store.isDeleted(InstanceNumber(1)) }
        #expect(throws: StoreError.self) { try store.commit(WriteSet(firstSequence: 1)) }
    }
}
