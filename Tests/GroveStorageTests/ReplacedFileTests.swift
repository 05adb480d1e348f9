import Foundation
import GroveEngine
import Testing

@testable import GroveStorage

/// The place of a backup: nothing there is in use, and nothing is beside it that would damage it.
@Suite("ReplacedFile")
struct ReplacedFileTests {
    private let path = TestDirectory.make() + "/grove.db"

    @Test func `a place is free, or has a file that nobody has open`() throws {
        _ = try ReplacedFile(path)
        #expect(!FileManager.default.fileExists(atPath: path))
        let store = try SQLiteStore.open(path: path)
        try store.close()
        _ = try ReplacedFile(path)
        try Data("no data file".utf8).write(to: URL(filePath: path))
        _ = try ReplacedFile(path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("no data file".utf8))
    }

    @Test func `a file that a server has open is refused, and held against one`() throws {
        let store = try SQLiteStore.open(path: path)
        let error = try #require(throws: StoreOpenError.self) { _ = try ReplacedFile(path) }
        #expect(error.exitCode == 73)
        try store.close()
        let place = try ReplacedFile(path)
        #expect(throws: StoreOpenError.self) { _ = try SQLiteStore.open(path: path) }
        withExtendedLifetime(place) {}
    }

    @Test(arguments: ["-wal", "-journal"])
    func `a log that is beside the place is refused`(ending: String) throws {
        try Data([1]).write(to: URL(filePath: path + ending))
        let error = try #require(throws: StoreOpenError.self) { _ = try ReplacedFile(path) }
        #expect(error.exitCode == 73 && "\(error)".contains(path + ending))
        let other = try #require(throws: StoreOpenError.self) {
            _ = try ReplacedFile(path + ending)
        }
        #expect(other.exitCode == 65)
    }
}
