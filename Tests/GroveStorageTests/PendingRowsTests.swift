import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// Which rows a commit writes back.
@Suite("Rows that wait to be written")
struct PendingRowsTests {
    /// Steps of random instances, as a commit of `count` steps.
    private func writes(
        after head: JournalPosition, count: Int, of instances: Int64, _ random: inout SeededRandom
    ) -> WriteSet {
        var writes = WriteSet(firstSequence: head + 1)
        var numbers: Set<Int64> = []
        for _ in 0..<count {
            writes.journal += Array(repeating: 0, count: 60)
            writes.journalEnds.append(writes.journal.count)
            numbers.insert(Int64.random(in: 1...instances, using: &random))
        }
        for number in numbers.sorted() {
            guard let name = InstanceName("counter/\(number)") else { continue }
            var instance = StoredInstance(number: InstanceNumber(number), name: name)
            writes.append(&instance, isNew: false, followsFromJournal: true)
        }
        return writes
    }

    @Test(arguments: [100, 10_000, 200_000])
    func `each commit writes back a share, without bursts`(instances: Int64) throws {
        var random = SeededRandom(seed: 3)
        let bounds = RedoBounds(steps: 16_384, bytes: 8 << 20)
        let pending = PendingRows(bounds: bounds)
        var head: JournalPosition = 0
        var shares: [Int] = []
        var farthest: Int64 = 0
        for round in 0..<1_500 {
            let writes = writes(after: head, count: 64, of: instances, &random)
            let chosen = pending.chooseBuckets(for: writes)
            let rows = chosen.reduce(0) { $0 + $1.count }
            pending.remove(chosen)
            pending.add(writes, written: [])
            head += 64
            let oldest = pending.redoPoint()?.step ?? head
            farthest = max(farthest, head - oldest)
            #expect(head - oldest <= bounds.steps)
            #expect(pending.bytes <= bounds.bytes)
            if round >= 600 { shares.append(rows) }
        }
        let average = Double(shares.reduce(0, +)) / Double(shares.count)
        let largest = try #require(shares.max())
        // The rows of one group of buckets.
        #expect(Double(largest) <= 2 * average + 512, "\(largest) rows beside \(average)")
        #expect(average < 64, "a row carries several steps: \(average)")
        #expect(farthest > bounds.steps / 2, "rows wait as long as they may: \(farthest)")
    }

    @Test func `one large commit stays within the bounds`() {
        var random = SeededRandom(seed: 4)
        let bounds = RedoBounds(steps: 1_000, bytes: 1 << 20)
        let pending = PendingRows(bounds: bounds)
        var head: JournalPosition = 0
        for count in [10, 400, 580, 900, 1_000, 3_000, 10] {
            let writes = writes(after: head, count: count, of: 5_000, &random)
            pending.remove(pending.chooseBuckets(for: writes))
            // A commit that is larger than the bounds leaves only its own rows.
            let left = pending.redoPoint()?.step ?? head
            #expect(head + Int64(count) - left <= max(bounds.steps, Int64(count)))
            pending.add(writes, written: [])
            head += Int64(count)
        }
    }

    @Test func `rows are counted as they come and go`() throws {
        var random = SeededRandom(seed: 5)
        let pending = PendingRows(bounds: RedoBounds(steps: 1_000_000, bytes: 1 << 30))
        var head: JournalPosition = 0
        for _ in 0..<50 {
            let writes = writes(after: head, count: 20, of: 300, &random)
            pending.add(writes, written: [])
            head += 20
        }
        let rows = pending.count
        let bytes = pending.bytes
        #expect(rows > 250 && bytes > 250 * 40)
        var removed = WriteSet(firstSequence: head + 1)
        for number in 1...300 {
            removed.deletions.append(
                WriteSet.Deletion(number: InstanceNumber(Int64(number)), newest: 1))
        }
        pending.add(removed, written: [])
        #expect(pending.count == 0)
        #expect(pending.bytes < bytes)
        while let point = pending.redoPoint() {
            #expect(point.step < head)
            pending.remove(pending.oldestBuckets(rows: 1))
        }
        #expect(pending.bytes == 0)
    }
}
