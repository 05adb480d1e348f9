import CSQLite
import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A copy made while the store works: complete, sound, of another log, and without side effects.
@Suite("Copying a store in use")
struct SQLiteBackupTests {
    /// A store in a separate directory, with some instances, and their model.
    private func prepared(
        _ options: SQLiteStoreOptions = .small, seed: UInt64 = 5
    ) throws -> (store: SQLiteStore, model: StoreModel, random: SeededRandom) {
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        var model = StoreModel()
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            model.change(&random)
            try store.commit(model.takeWrites())
        }
        return (store, model, random)
    }

    /// Makes an instance whose states fill that many pages or more.
    private func grow(
        _ store: SQLiteStore, _ model: inout StoreModel, pages: Int, _ random: inout SeededRandom
    ) throws {
        model.create("large/one")
        for _ in 0..<pages {
            let noise = (0..<8_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            model.step("large/one", state: noise)
            try store.commit(model.takeWrites())
        }
    }

    /// Reads a complete copy into a separate file.
    private func saved(_ backup: any StoreBackup, chunk: Int = 100_000) throws -> String {
        let path = TestDirectory.make() + "/copy.grove"
        var data = Data()
        while true {
            let bytes = try backup.read(at: Int64(data.count), count: chunk)
            if bytes.isEmpty { break }
            data.append(contentsOf: bytes)
        }
        #expect(Int64(data.count) == backup.progress.bytes)
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func finish(_ backup: any StoreBackup) throws {
        while backup.progress.bytes == nil { try backup.step() }
    }

    @Test func `a copy on a full disk ends, however often clients try`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        var (store, model, random) = try prepared(options)
        try grow(store, &model, pages: 300, &random)
        let backup = try store.beginBackup()
        try backup.step()
        files.fail(
            .write, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: ENOSPC, isSticky: true))
        var turns = 0
        let error = try #require(throws: StoreError.self) {
            while turns < 100 {
                let before = model
                model.step("large/one", state: [1])
                #expect(throws: StoreError.full) { try store.commit(model.takeWrites()) }
                model = before
                turns += 1
                try backup.step()
            }
        }
        #expect(error == .full)
        #expect(turns < 30)
        files.heal()
        backup.end()
        store.shutDown()
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the copy has everything committed before its last turn`(
        seed: UInt64
    ) throws {
        var (store, model, random) = try prepared(seed: seed)
        try grow(store, &model, pages: 300, &random)
        let backup = try store.beginBackup()
        var turns = 0
        while backup.progress.bytes == nil {
            let before = backup.progress.copied
            try backup.step()
            turns += 1
            guard backup.progress.bytes == nil else { break }
            #expect(backup.progress.copied - before <= Int64(StoreLimits.backupPagesPerTurn))
            #expect(backup.progress.copied <= backup.progress.pages)
            model.change(&random)
            try store.commit(model.takeWrites())
            if Bool.random(using: &random) { _ = try store.purge() }
        }
        #expect(turns > 4)
        #expect(store.statistics().first { $0.name == "checkpoints" }?.value ?? 0 > 0)
        let frozen = model
        model.step("large/one")
        try store.commit(model.takeWrites())
        let path = try saved(backup)
        backup.end()
        #expect(try store.checkAll() == [])
        let copy = try SQLiteStore.open(path: path, options: .small)
        try purgeAll(copy)
        #expect(try copy.checkAll() == [])
        #expect(try difference(copy, frozen, isPurged: true, &random) == nil)
        try copy.close()
        try store.close()
    }

    @Test func `each first opening of a copy makes another log`() throws {
        let (store, model, _) = try prepared()
        let backup = try store.beginBackup()
        try finish(backup)
        let first = try saved(backup)
        let second = try saved(backup, chunk: 7_777)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: first))
                == Data(contentsOf: URL(fileURLWithPath: second)))
        backup.end()
        var ids: Set<LogID> = [store.logID]
        for path in [first, second] {
            for round in 0..<3 {
                let copy = try SQLiteStore.open(path: path)
                #expect(!copy.isCopy)
                #expect(ids.insert(copy.logID).inserted == (round == 0))
                #expect(try copy.checkAll() == [])
                var later = model
                later.create("new/\(round)")
                #expect(copy.head == model.head || round > 0)
                if round == 1 { copy.shutDown() } else { try copy.close() }
            }
        }
        #expect(ids.count == 3)
        try store.close()
    }

    @Test func `a copy of an empty store is an empty store`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        let backup = try store.beginBackup()
        try finish(backup)
        let path = try saved(backup)
        backup.end()
        let copy = try SQLiteStore.open(path: path)
        #expect(copy.head == 0 && copy.logID != store.logID)
        var model = StoreModel()
        model.create("a/a")
        try copy.commit(model.takeWrites())
        #expect(try copy.checkAll() == [])
        try copy.close()
        try store.close()
    }

    @Test func `a copy has no name when it is complete, or has been ended`() throws {
        var (store, model, random) = try prepared()
        try grow(store, &model, pages: 200, &random)
        let directory = String(store.path.dropLast("/data.grove".count))
        let usual = ["data.grove", "data.grove-wal"]
        let backup = try store.beginBackup()
        try backup.step()
        #expect(try TestDirectory.names(directory).contains("data.grove.copying"))
        var status = stat()
        stat(store.path + ".copying", &status)
        #expect(status.st_mode & 0o777 == 0o600)
        backup.end()
        backup.end()
        #expect(try TestDirectory.names(directory) == usual)
        let again = try store.beginBackup()
        try finish(again)
        #expect(try TestDirectory.names(directory) == usual)
        #expect(try again.read(at: 0, count: 16) == Array("SQLite format 3\0".utf8))
        #expect(try again.read(at: 1 << 40, count: 16).isEmpty)
        again.end()
        #expect(try again.read(at: 0, count: 16).isEmpty)
        try store.close()
    }

    @Test func `closing the store ends a copy, and a start removes an old one`()
        throws
    {
        var (store, model, random) = try prepared()
        try grow(store, &model, pages: 200, &random)
        let path = store.path
        let backup = try store.beginBackup()
        try backup.step()
        try store.close()
        try backup.step()
        #expect(!FileManager.default.fileExists(atPath: path + ".copying"))
        for ending in ["", "-wal", "-journal"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: path + ".copying" + ending))
        }
        let again = try SQLiteStore.open(path: path)
        let directory = String(path.dropLast("/data.grove".count))
        #expect(try TestDirectory.names(directory) == ["data.grove", "data.grove-wal"])
        try again.close()
    }

    @Test(arguments: [
        (SQLITE_FULL, ENOSPC, StoreError.full), (SQLITE_IOERR | 3 << 8, EDQUOT, .full),
        (SQLITE_IOERR | 3 << 8, EIO, .inputOutput("")),
    ])
    func `a copy that can't be written ends, and the store continues`(
        code: Int32, systemError: Int32, expected: StoreError
    ) throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        options.logBytesMax = 32 << 20
        var (store, model, random) = try prepared(options)
        try grow(store, &model, pages: 300, &random)
        let backup = try store.beginBackup()
        files.fail(
            .write, call: 40,
            with: FaultyFiles.Fault(code: code, systemError: systemError, isSticky: true))
        let error = #expect(throws: StoreError.self) { try finish(backup) }
        switch (error, expected) {
        case (.full?, .full), (.inputOutput?, .inputOutput): break
        default: Issue.record("\(String(describing: error)) instead of \(expected)")
        }
        files.heal()
        backup.end()
        #expect(files.fired > 0 && store.failure == nil)
        model.change(&random)
        try store.commit(model.takeWrites())
        #expect(try store.checkAll() == [])
        let again = try store.beginBackup()
        try finish(again)
        again.end()
        try store.close()
    }

    @Test func `a full disk restarts the copy, which then succeeds`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        options.logBytesMax = 32 << 20
        var (store, model, random) = try prepared(options)
        try grow(store, &model, pages: 300, &random)
        let backup = try store.beginBackup()
        for _ in 0..<2 { try backup.step() }
        let before = model
        model.change(&random)
        files.fail(
            .write, call: 1, with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: ENOSPC))
        #expect(throws: StoreError.full) { try store.commit(model.takeWrites()) }
        model = before
        files.heal()
        try finish(backup)
        let path = try saved(backup)
        backup.end()
        let copy = try SQLiteStore.open(path: path)
        #expect(try copy.checkAll() == [])
        #expect(copy.head == model.head)
        try copy.close()
        try store.close()
    }
}

/// Ids that are drawn again without a change of the chain.
@Suite("LogID.renewed")
struct LogIDTests {
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `the id of a copy is another one with the same checksum`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let id = LogID(high: random.next(), low: random.next())
        let renewed = id.renewed(using: &random)
        let again = id.renewed(using: &random)
        #expect(renewed.checksum == id.checksum && again.checksum == id.checksum)
        #expect(Set([id, renewed, again]).count == 3)
        #expect(renewed.high != id.high && renewed.low != id.low)
    }
}
