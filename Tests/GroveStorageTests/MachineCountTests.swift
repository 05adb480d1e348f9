import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// The counts per machine, and the effects that have failed or ask.
@Suite("Counts per machine")
struct MachineCountTests {
    private func counts(
        _ instances: Int64, done: Int64 = 0, failed: Int64 = 0, asking: Int64 = 0
    ) -> MachineCounts {
        var counts = MachineCounts()
        counts.instances = instances
        counts.done = done
        counts.failed = failed
        counts.asking = asking
        return counts
    }

    @Test(arguments: StoreKind.allCases)
    func `counts follow creations, ends, deletions and effects`(kind: StoreKind) throws {
        let store = try kind.make()
        #expect(store.machineCounts.isEmpty)
        var model = StoreModel()
        for name in ["a/1", "a/2", "a/3", "b/1"] { model.create(name) }
        try store.commit(model.takeWrites())
        #expect(store.machineCounts == ["a": counts(3), "b": counts(1)])
        model.finish("a/1")
        let asks = model.begin("a/2")
        model.change(asks, phase: .asking)
        let fails = model.begin("b/1")
        try store.commit(model.takeWrites())
        model.change(fails, phase: .failed)
        // A done instance that is written again is counted once.
        model.note("a/1", [])
        try store.commit(model.takeWrites())
        #expect(
            store.machineCounts == ["a": counts(3, done: 1, asking: 1), "b": counts(1, failed: 1)])
        model.change(asks, phase: .failed)
        model.finish("a/3")
        model.delete("a/3")
        model.create("a/4")
        model.delete("a/1")
        try store.commit(model.takeWrites())
        #expect(store.machineCounts == ["a": counts(2, failed: 1), "b": counts(1, failed: 1)])
        model.end(asks)
        model.delete("b/1")
        try store.commit(model.takeWrites())
        #expect(store.machineCounts == ["a": counts(2)])
    }

    @Test(arguments: StoreKind.allCases)
    func `effects that have failed or ask are paged per machine`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = StoreModel()
        for name in ["a/1", "a/2", "ab/1"] { model.create(name) }
        var refs: [EffectRef] = []
        for round in 0..<40 {
            let ref = model.begin(["a/1", "a/2"][round % 2])
            model.change(ref, phase: round % 4 < 2 ? .failed : .asking)
            refs.append(ref)
            if round % 7 == 0 { try store.commit(model.takeWrites()) }
        }
        let other = model.begin("ab/1")
        model.change(other, phase: .failed)
        model.begin("a/1", due: 7)
        try store.commit(model.takeWrites())
        let failed = refs.enumerated().filter { $0.offset % 4 < 2 }.map(\.element).sorted()
        func page(_ after: EffectRef?, _ limit: Int) throws -> [EffectRef] {
            try store.effects(.failed, of: "a", after: after, limit: limit)
        }
        #expect(try page(nil, 100) == failed)
        #expect(try page(nil, 0).isEmpty)
        for (index, ref) in failed.enumerated() {
            #expect(try page(ref, 3) == Array(failed[(index + 1)...].prefix(3)))
        }
        #expect(try store.effects(.asking, of: "a", after: nil, limit: 100).count == 20)
        #expect(try store.effects(.failed, of: "ab", after: nil, limit: 9) == [other])
        #expect(try store.effects(.asking, of: "ab", after: nil, limit: 9).isEmpty)
        #expect(try store.effects(.failed, of: "b", after: nil, limit: 9).isEmpty)
    }

    @Test(arguments: [1, 2, 3, 4], [true, false])
    func `a file of an older schema is counted when it is migrated`(
        schema: Int, isCompressed: Bool
    ) throws {
        let path = TestDirectory.make() + "/data.grove"
        var model = StoreModel()
        var store = try SQLiteStore.open(path: path)
        for number in 0..<20 {
            let state = isCompressed ? Array(repeating: UInt8(65), count: 20_000) : [65]
            model.create("m/\(number)", state: state)
            if number % 3 == 0 { model.finish("m/\(number)") }
            let ref = model.begin("m/\(number)", lane: "pay")
            if number % 4 == 0 { model.change(ref, phase: .failed) }
            if number % 4 == 1 { model.change(ref, phase: .asking) }
        }
        try store.commit(model.takeWrites())
        try store.close()
        try makeOld(path, schema: schema)
        let inspection = try SQLiteStore.inspect(path: path)
        #expect(inspection.machineCounts.isEmpty)
        #expect(try inspection.checkAll() == [])
        try inspection.close()
        for _ in 0..<2 {
            store = try SQLiteStore.open(path: path)
            #expect(store.machineCounts == ["m": counts(20, done: 7, failed: 5, asking: 5)])
            #expect(try store.effects(.failed, of: "m", after: nil, limit: 100).count == 5)
            #expect(try store.checkAll() == [])
            store.shutDown()
        }
    }

    @Test func `a crash leaves exact counts`() throws {
        let path = TestDirectory.make() + "/data.grove"
        var model = StoreModel()
        var random = SeededRandom(seed: 11)
        for _ in 0..<20 {
            let store = try SQLiteStore.open(path: path, options: .small)
            #expect(store.machineCounts == model.machineCounts)
            for _ in 0..<5 {
                model.change(&random)
                if let name = model.instances.keys.sorted().first { model.finish(name) }
                try store.commit(model.takeWrites())
            }
            #expect(store.machineCounts == model.machineCounts)
            #expect(try store.checkAll() == [])
            store.shutDown()
        }
        #expect(!model.machineCounts.isEmpty)
    }

    /// The number of instances that `meta` and `machine_counts` have in the file.
    private func stored(_ store: SQLiteStore) throws -> [Int64] {
        [
            try store.connection.integer("SELECT instances FROM meta"),
            try store.connection.integer("SELECT coalesce(sum(instances), 0) FROM machine_counts"),
        ]
    }

    @Test func `a commit that only creates leaves the counts to a start`() throws {
        var store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for number in 0..<50 {
            model.create(number % 2 == 0 ? "a/\(number)" : "b/\(number)")
            model.step("a/0", state: [UInt8(number)], key: [UInt8(number)])
            try store.commit(model.takeWrites())
        }
        #expect(try stored(store) == [0, 0])
        #expect(store.machineCounts == ["a": counts(25), "b": counts(25)])
        #expect(try store.checkAll() == [])
        store.shutDown()
        let inspection = try SQLiteStore.inspect(path: store.path)
        #expect(inspection.machineCounts == ["a": counts(25), "b": counts(25)])
        #expect(try inspection.checkAll() == [])
        try inspection.close()
        for _ in 0..<2 {
            store = try SQLiteStore.open(path: store.path)
            #expect(store.lastInstanceNumber.value == 50)
            #expect(store.machineCounts == ["a": counts(25), "b": counts(25)])
            #expect(try store.checkAll() == [])
            #expect(try stored(store) == [50, 50])
            store.shutDown()
        }
    }

    @Test(arguments: ["deletion", "end", "effect", "probe", "checkpoint", "stop", "many"])
    func `creations are counted in the file at the latest with`(other: String) throws {
        var store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["a/1", "a/2", "b/1"] { model.create(name) }
        try store.commit(model.takeWrites())
        #expect(try stored(store) == [0, 0])
        switch other {
        case "deletion": model.delete("a/1")
        case "end": model.finish("a/1")
        case "effect": model.begin("a/1")
        case "probe": try store.probeDiskSpace()
        case "checkpoint":
            store.checkpointPages = 0
            try store.checkpoint()
        case "stop":
            try store.close()
            store = try SQLiteStore.open(path: store.path)
        default:
            for number in 4..<StoreLimits.uncountedCreationsMax { model.create("a/\(number)") }
            try store.commit(model.takeWrites())
            #expect(try stored(store) == [0, 0])
            model.create("a/last")
        }
        try store.commit(model.takeWrites())
        let count = Int64(model.instances.count)
        #expect(try stored(store) == [count, count])
        #expect(store.machineCounts == model.machineCounts)
        #expect(try store.checkAll() == [])
        // The next ones are left to a start again.
        model.create("b/2")
        try store.commit(model.takeWrites())
        #expect(try stored(store) == [count, count])
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.machineCounts == model.machineCounts)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test func `a redo point after creations is written with their counts`() throws {
        var store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/1")
        for _ in 0..<20 { model.step("a/1", state: [1]) }
        try store.commit(model.takeWrites())
        model.create("a/2")
        try store.commit(model.takeWrites())
        #expect(try stored(store) == [0, 0])
        while try store.writeBackOldest(rows: 10, try store.tables()) {}
        #expect(try stored(store) == [2, 2])
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.redoneSteps == 0)
        #expect(store.lastInstanceNumber.value == 2)
        try store.close()
    }

    @Test func `a copy has the counts of its instances`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["a/1", "a/2", "b/1"] { model.create(name) }
        try store.commit(model.takeWrites())
        let backup = try store.beginBackup()
        var bytes: [UInt8] = []
        while backup.progress.bytes == nil { try backup.step() }
        while let end = backup.progress.bytes, bytes.count < end {
            bytes += try backup.read(at: Int64(bytes.count), count: 1 << 16)
        }
        backup.end()
        let path = TestDirectory.make() + "/copy.grove"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let copy = try SQLiteStore.open(path: path)
        #expect(copy.machineCounts == model.machineCounts)
        #expect(try copy.checkAll() == [])
        try copy.close()
        try store.close()
    }

    @Test func `an uncounted instance without its row doesn't keep a file from opening`() throws {
        var store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["a/1", "a/2", "a/3"] { model.create(name) }
        try store.commit(model.takeWrites())
        try store.connection.execute("DELETE FROM instances WHERE number = 3")
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.machineCounts == ["a": counts(2)])
        #expect(store.lastInstanceNumber.value == 3, "its number isn't given again")
        #expect(try store.checkAll().contains { $0.description.contains("has no row") })
        store.shutDown()
    }

    @Test func `counts that don't add up to the instances are refused`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        for name in ["a/1", "b/1"] { model.create(name) }
        try store.commit(model.takeWrites())
        try store.close()
        try sqlite(path, "DELETE FROM machine_counts WHERE machine = 'b'")
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
    }
}
