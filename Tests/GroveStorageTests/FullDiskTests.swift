import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A real file system that becomes full (reliability.md, P8).
@Suite("SQLiteStore on a full disk")
struct FullDiskTests {
    /// A small file system in memory, or `nil` if mounting is not allowed. CI requires it.
    private func mountSmall(_ size: String) throws -> String? {
        let place = TestDirectory.make()
        let result = try run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", place)
        if result.code == 0 { return place }
        print("skipped: a tmpfs cannot be mounted here: \(result.output)")
        #expect(ProcessInfo.processInfo.environment["CI"] == nil, "CI must be able to mount")
        return nil
    }

    @Test func `a full disk refuses commits, allows reads, and recovers`() throws {
        guard let place = try mountSmall("2m") else { return }
        defer { _ = try? run("umount", place) }  // Nothing to do about a failure here.
        let path = place + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var random = SeededRandom(seed: 2)
        var model = StoreModel()
        var refused = 0
        var sizes: Set<Int64> = []
        while refused < 20 {
            let before = model
            for name in StoreModel.names where model.instances[name] == nil { model.create(name) }
            let noise = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            model.step("a/a", state: noise, key: Array("\(model.head)".utf8))
            model.begin("a/a", due: model.head, lane: "pay", reason: String(describing: sizes))
            do throws(StoreError) { try store.commit(model.takeWrites()) } catch {
                #expect(error == .full)
                model = before
                refused += 1
                let found = try difference(store, model, isPurged: true, &random)
                #expect(found == nil)
                let sum = store.statistics().filter { $0.name.hasSuffix("_bytes") }
                sizes.insert(sum.reduce(0) { $0 + $1.value })
            }
        }
        #expect(sizes.count <= 2, "refused commits make nothing grow")
        #expect(store.failure == nil)
        #expect(try run("mount", "-o", "remount,size=16m", place).code == 0)
        model.step("a/a", state: [1])
        try store.commit(model.takeWrites())
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        store.shutDown()
        let again = try SQLiteStore.open(path: path)
        #expect(try difference(again, model, isPurged: true, &random) == nil)
        #expect(try again.checkAll() == [])
        try again.close()
    }

    @Test func `room that is made is for events, and not for the log`() throws {
        guard let place = try mountSmall("12m") else { return }
        defer { _ = try? run("umount", place) }  // Nothing to do about a failure here.
        let store = try SQLiteStore.open(path: place + "/data.grove")
        var random = SeededRandom(seed: 3)
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        // The same pages again and again.
        var stored = model
        func step() throws(StoreError) {
            let noise = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
            model.step("a/a", state: noise)
            do throws(StoreError) {
                try store.commit(model.takeWrites())
                stored = model
            } catch {
                model = stored
                throw error
            }
        }
        #expect(throws: StoreError.full) { while true { try step() } }
        let log = store.connection.pagesInLog
        #expect(log > 500, "the log is what has filled the disk")
        #expect(throws: StoreError.full) { try store.probeDiskSpace() }
        #expect(try run("mount", "-o", "remount,size=14m", place).code == 0)
        let before = store.counters.checkpoints
        try store.probeDiskSpace()
        #expect(store.counters.checkpoints == before + 1)
        for _ in 0..<200 { try step() }
        #expect(store.connection.pagesInLog < log)
        try store.close()
        #expect(try TestDirectory.names(place) == ["data.grove"])
    }

    /// Closing leaves the log then, and nothing is lost. But a restored file without its log has
    /// lost what was changed in it.
    @Test func `a file whose log a full disk keeps isn't put in the place of another`() throws {
        guard let place = try mountSmall("2m") else { return }
        defer { _ = try? run("umount", place) }  // Nothing to do about a failure here.
        let path = place + "/data.grove.restoring"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("a/a")
        try store.commit(model.takeWrites())
        #expect(try run("sh", "-c", "cat /dev/zero > \(place)/filler").code != 0)
        try store.close()
        #expect(throws: StoreOpenError.full) { try DataFileSwap.requireNoLog(path) }
        try FileManager.default.removeItem(atPath: place + "/filler")
        try DataFileSwap.makeCopy(path)
        try DataFileSwap.requireNoLog(path)
    }

    @Test func `the probe finds room for a large state, and leaves no file`()
        throws
    {
        guard let place = try mountSmall("4m") else { return }
        defer { _ = try? run("umount", place) }  // Nothing to do about a failure here.
        let path = place + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("a/a")
        try store.commit(model.takeWrites())
        try store.probeDiskSpace()
        let names = try TestDirectory.names(place)
        try run("dd", "if=/dev/zero", "of=\(place)/filler", "bs=4k")
        #expect(throws: StoreError.full) { try store.probeDiskSpace() }
        // Half a mebibyte isn't enough: the next larger event would be refused again.
        try run("truncate", "-s", "-512K", "\(place)/filler")
        #expect(throws: StoreError.full) { try store.probeDiskSpace() }
        try run("truncate", "-s", "-768K", "\(place)/filler")
        try store.probeDiskSpace()
        #expect(store.failure == nil)
        #expect(try TestDirectory.names(place) == (names + ["filler"]).sorted())
        store.shutDown()
        // Writes that were rolled back are gone after a crash, too.
        let again = try SQLiteStore.open(path: path)
        var random = SeededRandom(seed: 1)
        #expect(try difference(again, model, isPurged: true, &random) == nil)
        #expect(try again.checkAll() == [])
        try again.close()
    }

    @Test func `an unrelated file with the probe's name stays`() throws {
        let place = TestDirectory.make()
        let store = try SQLiteStore.open(path: place + "/data.grove")
        let name = place + "/data.grove.room"
        try run("sh", "-c", "echo mine >\(name)")
        try store.probeDiskSpace()
        #expect(try run("cat", name).output == "mine\n")
        // An empty file of this name was left by a crash: it is removed.
        try run("truncate", "-s", "0", name)
        try store.probeDiskSpace()
        #expect(try !TestDirectory.names(place).contains("data.grove.room"))
        // Opening one of these for writing would wait for a reader.
        try run("mkfifo", name)
        try store.probeDiskSpace()
        try store.close()
    }

    @Test func `a file that can't be made for lack of room is reported`() throws {
        guard let place = try mountSmall("64k") else { return }
        defer { _ = try? run("umount", place) }  // Nothing to do about a failure here.
        try run("dd", "if=/dev/zero", "of=\(place)/filler", "bs=1k", "count=60")
        let error = #expect(throws: StoreOpenError.self) {
            try SQLiteStore.open(path: place + "/data.grove")
        }
        #expect(error == .full)
        #expect(try TestDirectory.names(place) == ["filler"], "nothing half made is left")
    }
}
