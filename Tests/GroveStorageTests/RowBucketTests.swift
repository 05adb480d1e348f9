import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// The rows that one bucket holds until they are written.
@Suite("RowBucket")
struct RowBucketTests {
    private struct Row: Equatable {
        var name: [UInt8]
        var snapshot: [UInt8]
    }

    /// A bucket beside a plain dictionary.
    private struct Model {
        let bucket = RowBucket(id: 5, since: RedoPoint(step: 1))
        var rows: [Int64: Row] = [:]

        mutating func set(_ number: Int64, _ row: Row) {
            rows[number] = row
            row.name.withUnsafeBufferPointer { name in
                row.snapshot.withUnsafeBufferPointer { snapshot in
                    bucket.setRow(of: number, name: name, snapshot: snapshot)
                }
            }
        }

        func read() -> [(Int64, Row)] {
            var found: [(Int64, Row)] = []
            bucket.forEachRow { number, name, snapshot in
                found.append((number.value, Row(name: Array(name), snapshot: Array(snapshot))))
            }
            return found
        }
    }

    @Test func `rows are as they were last set, however they grow and shrink`() throws {
        var random = SeededRandom(seed: 7)
        var model = Model()
        for round in 0..<4_000 {
            let number = 5 << 6 + Int64.random(in: 0..<64, using: &random)
            // Whatever the bucket holds: this only asks for memory.
            model.bucket.prefetchCounts()
            model.bucket.prefetchPlace(of: number)
            model.bucket.prefetchRow(of: number)
            model.bucket.prefetchRows()
            if Int.random(in: 0..<8, using: &random) == 0 {
                model.rows[number] = nil
                model.bucket.drop(number, isDeleted: false)
            } else {
                let most = Int.random(in: 0..<30, using: &random) == 0 ? 4_096 : 90
                let bytes = Int.random(in: 0...most, using: &random)
                let name = Int.random(in: 3...265, using: &random)
                model.set(
                    number,
                    Row(
                        name: Array(repeating: UInt8(number & 0x7F), count: name),
                        snapshot: Array(repeating: UInt8(truncatingIfNeeded: round), count: bytes)))
            }
            #expect(model.bucket.count == model.rows.count)
            guard round % 50 == 0 else { continue }
            let found = model.read()
            #expect(found.map(\.0) == model.rows.keys.sorted())
            for (number, row) in found {
                #expect(row == model.rows[number])
                let one = try model.bucket.withRow(of: number) { name, snapshot in
                    Row(name: Array(name), snapshot: Array(snapshot))
                }
                #expect(one == row)
            }
        }
        for number in 5 << 6..<(6 << 6) { model.bucket.drop(Int64(number), isDeleted: false) }
        #expect(model.bucket.count == 0 && model.read().isEmpty)
    }

    @Test func `a row that changes a thousand times takes little memory`() {
        var model = Model()
        for round in 0..<1_000 {
            model.set(
                321, Row(name: [1, 2, 3], snapshot: Array(repeating: 7, count: 50 + round % 90)))
        }
        #expect(model.bucket.bytes < RowBucket.overhead + 2_048)
        #expect(model.bucket.count == 1)
    }

    @Test func `dedup records come in the order of their rows, and go with their instance`() {
        let bucket = RowBucket(id: 0, since: RedoPoint(step: 1))
        let entry = DedupEntry(
            hashHigh: 1, hashLow: 2, version: 3, sequence: 4, changed: true, done: false)
        for (number, key) in [(9, "b"), (2, "z"), (9, "a"), (2, "aa"), (40, "c")] {
            bucket.setDedup(entry, key: Array(key.utf8), of: Int64(number))
        }
        func all() -> [String] {
            var found: [String] = []
            bucket.forEachDedup { dedup in
                found.append("\(dedup.number.value) \(String(decoding: dedup.key, as: UTF8.self))")
            }
            return found
        }
        #expect(all() == ["2 aa", "2 z", "9 a", "9 b", "40 c"])
        bucket.drop(2, isDeleted: false)
        #expect(bucket.dedup(2, key: Array("z".utf8)) == entry)
        bucket.drop(2, isDeleted: true)
        #expect(all() == ["9 a", "9 b", "40 c"])
        #expect(bucket.dedup(2, key: Array("z".utf8)) == nil)
        #expect(bucket.count == 3)
    }

    @Test func `neighboring buckets are written together, and large ones alone`() throws {
        let pending = PendingRows(bounds: RedoBounds(steps: 1_000, bytes: 1 << 24))
        func add(_ numbers: [Int64], stateBytes: Int, after head: JournalPosition) throws {
            var writes = WriteSet(firstSequence: head + 1)
            for number in numbers {
                var instance = StoredInstance(
                    number: InstanceNumber(number), name: try #require(InstanceName("a/\(number)")))
                instance.state = Array(repeating: 1, count: stateBytes)
                writes.append(&instance, isNew: false, followsFromJournal: true)
            }
            pending.add(writes, written: [])
        }
        // Groups of 512 numbers: the first has three buckets, the second two large ones.
        try add([1, 100, 511], stateBytes: 10, after: 0)
        try add(Array(512..<540) + Array(600..<630), stateBytes: 4_000, after: 1)
        var next = WriteSet(firstSequence: 1_003)
        next.journalEnds = [1]
        next.journal = [0]
        let first = pending.chooseBuckets(for: next)
        #expect(first.map(\.id) == [0, 1, 7, 8, 9])
        pending.remove(first)
        try add([1, 513, 600], stateBytes: 10, after: 1_003)
        try add(Array(514..<540), stateBytes: 4_000, after: 1_004)
        next.firstSequence = 2_004
        // The oldest one is due, and is alone in its group; the next one is not due yet.
        let second = pending.chooseBuckets(for: next)
        #expect(second.map(\.id) == [0, 8, 9])
    }
}
