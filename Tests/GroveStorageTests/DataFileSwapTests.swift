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
    private var former: String { folder + "/grove.db.before" }

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

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `an empty place is filled`() throws {
        try make(restored, steps: 3)
        #expect(try DataFileSwap.put(restored, at: path, keeping: former) == .none)
        #expect(try names() == ["grove.db"])
        #expect(try steps(path) == 3)
    }

    @Test func `the present file is kept whole, with what only its log had`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        let outcome = try DataFileSwap.put(restored, at: path, keeping: former)
        #expect(outcome == .kept(damage: nil))
        #expect(try names() == ["grove.db", "grove.db.before"])
        #expect(try steps(path) == 3 && steps(former) == 7)
    }

    @Test func `a damaged file goes away with its log`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try damage()
        let outcome = try DataFileSwap.put(restored, at: path, keeping: former)
        guard case .kept(let damage?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(damage.contains("damaged"), "\(damage)")
        #expect(try names().filter { !$0.hasSuffix("-wal") } == ["grove.db", "grove.db.before"])
        #expect(StoreFile.size(path + "-wal") ?? 0 == 0)
        #expect(try steps(path) == 3)
    }

    @Test(arguments: [false, true])
    func `where the restored file can't come, the present one is as it was`(
        isDamaged: Bool
    ) throws {
        try makeCrashed(path, steps: 7)
        if isDamaged { try damage() }
        let before = try names()
        #expect(throws: StoreOpenError.self) {
            try DataFileSwap.put(restored, at: path, keeping: former)
        }
        #expect(try names().filter { !$0.hasSuffix("-wal") } == ["grove.db"])
        if isDamaged { #expect(try names() == before) } else { #expect(try steps(path) == 7) }
    }

    @Test func `a log without its file isn't given to another one`() throws {
        try make(restored, steps: 3)
        try makeCrashed(path, steps: 7)
        try FileManager.default.removeItem(atPath: path)
        #expect(try DataFileSwap.put(restored, at: path, keeping: former) == .none)
        #expect(try names() == ["grove.db", "grove.db.before-wal"])
        #expect(try steps(path) == 3)
    }

    @Test func `a file in use, another program's, and a former one stay`() throws {
        try make(restored, steps: 3)
        let store = try SQLiteStore.open(path: path)
        #expect(throws: StoreOpenError.self) {
            try DataFileSwap.put(restored, at: path, keeping: former)
        }
        try fill(store, steps: 5)
        try store.close()
        try Data("former".utf8).write(to: URL(filePath: former))
        #expect(throws: StoreOpenError.self) {
            try DataFileSwap.put(restored, at: path, keeping: former)
        }
        #expect(try steps(path) == 5)
        try Data("no data file".utf8).write(to: URL(filePath: path))
        #expect(throws: StoreOpenError.self) {
            try DataFileSwap.put(restored, at: path, keeping: former + "2")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "no data file")
        #expect(try steps(restored) == 3)
    }
}
