import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A log that was damaged in its middle is refused: SQLite would end it there without a word.
@Suite("LogFrames")
struct LogFramesTests {
    private let directory = TestDirectory.make()
    private var path: String { directory + "/grove.db" }

    /// A data file with a log of some commits, as a crash leaves both.
    ///
    /// - Returns: The bytes of the log, and where each commit ends.
    private func crash(commits: Int = 6) throws -> (log: [UInt8], ends: [Int]) {
        let origin = TestDirectory.make() + "/origin"
        let store = try SQLiteStore.open(path: origin)
        var model = StoreModel()
        var ends: [Int] = []
        for number in 0..<commits {
            model.create("counter/\(number)", state: Array(repeating: 7, count: number * 5_000))
            try store.commit(model.takeWrites())
            ends.append(32 + store.connection.pagesInLog * (store.pageBytes + 24))
        }
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: origin + end, toPath: path + end)
        }
        try store.close()
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        #expect(log.count >= ends.last ?? 0)
        return (Array(log), ends)
    }

    private func write(_ log: [UInt8]) throws {
        try Data(log).write(to: URL(filePath: path + "-wal"))
    }

    private func damage() -> LogFrames.Damage? { LogFrames.damage(in: path + "-wal") }

    @Test func `a log that a crash cuts off at any place is sound`() throws {
        let (log, ends) = try crash()
        #expect(damage() == nil)
        for length in stride(from: 32, through: log.count, by: 997) {
            try write(Array(log[..<length]))
            #expect(damage() == nil, "\(length)")
        }
        try write(Array(log[..<ends[2]]))
        let store = try SQLiteStore.open(path: path)
        #expect(store.head == 3)
        try store.close()
    }

    @Test func `a crash may damage the last commit alone`() throws {
        let (log, ends) = try crash()
        for place in stride(from: ends[4], to: ends[5], by: 499) {
            var torn = log
            torn[place] ^= 0x10
            try write(torn)
            #expect(damage() == nil, "\(place)")
        }
    }

    @Test func `damage before the last commit is found, wherever it is`() throws {
        let (log, ends) = try crash()
        for place in stride(from: 32, to: ends[4], by: 499) {
            var damaged = log
            damaged[place] ^= 0x10
            try write(damaged)
            let found = damage()
            let commit = ends.firstIndex { $0 > place } ?? 0
            let begin = commit == 0 ? 32 : ends[commit - 1]
            #expect(found.map { (begin...place).contains($0.offset) } == true, "\(place)")
            // A mark that was damaged itself can't be counted.
            let left = 6 - commit
            #expect(found.map { (left - 1...left).contains($0.commits) } == true, "\(place)")
        }
    }

    @Test func `what belongs to an earlier use of the log isn't damage`() throws {
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        for number in 0..<20 {
            model.create("counter/\(number)", state: Array(repeating: 7, count: 9_000))
            try store.commit(model.takeWrites())
        }
        try store.moveLog()
        model.create("counter/last")
        try store.commit(model.takeWrites())
        #expect(damage() == nil)
        #expect(store.connection.pagesInLog < 20)
        store.shutDown()
        let again = try SQLiteStore.open(path: path)
        #expect(again.head == 21)
        try again.close()
    }

    @Test(arguments: [true, false])
    func `a damaged log is refused and stays, until somebody gives it up`(inspects: Bool) throws {
        let (log, ends) = try crash()
        var damaged = log
        damaged[ends[1] + 100] ^= 1
        try write(damaged)
        let error = try #require(throws: StoreOpenError.self) {
            if inspects {
                _ = try SQLiteStore.inspect(path: path)
            } else {
                _ = try SQLiteStore.open(path: path)
            }
        }
        #expect("\(error)".contains("4 commits"), "\(error)")
        #expect("\(error)".contains("truncate -s \(ends[1]) "), "\(error)")
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == Data(damaged))
        try write(Array(damaged[..<ends[1]]))
        let store = try SQLiteStore.open(path: path)
        #expect(store.head == 2)
        try store.close()
    }
}
