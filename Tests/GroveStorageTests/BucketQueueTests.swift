import GroveTestSupport
import Testing

@testable import GroveStorage

/// The order in which rows are written back.
@Suite("Buckets by age")
struct BucketQueueTests {
    private func bucket(_ step: Int64, unmade: Int = 0) -> RowBucket {
        let bucket = RowBucket(id: step, since: RedoPoint(step: step))
        bucket.unmadeSteps = unmade
        return bucket
    }

    private func steps(_ queue: BucketQueue, skipsUnmade: Bool = false) -> [Int64] {
        queue.oldestFirst(skipsUnmade: skipsUnmade).map(\.since.step)
    }

    @Test func `buckets that commits begin stay in order`() {
        var queue = BucketQueue()
        #expect(queue.oldest(skipsUnmade: false) == nil)
        let buckets = (1...5).map { bucket($0) }
        for bucket in buckets { queue.append(bucket) }
        #expect(steps(queue) == [1, 2, 3, 4, 5])
        buckets[0].markWritten()
        buckets[3].markWritten()
        #expect(steps(queue) == [2, 3, 5])
        queue.removePassed()
        #expect(steps(queue) == [2, 3, 5])
        #expect(queue.oldest(skipsUnmade: true) === buckets[1])
    }

    @Test func `one whose rows were made moves to its place`() {
        var queue = BucketQueue()
        let first = bucket(100, unmade: 3)
        let second = bucket(120, unmade: 1)
        queue.appendUnmade(first)
        queue.appendUnmade(second)
        queue.append(bucket(1_000))
        #expect(queue.firstUnmade === first)
        #expect(steps(queue) == [100, 120, 1_000])
        #expect(steps(queue, skipsUnmade: true) == [1_000])
        first.unmadeSteps = 0
        first.since.step = 900
        queue.insertMade(first)
        #expect(steps(queue) == [120, 900, 1_000])
        #expect(steps(queue, skipsUnmade: true) == [900, 1_000])
        queue.removePassed()
        #expect(queue.firstUnmade === second)
        // Older than one that is there already, and in the same list as the first unmade one.
        second.unmadeSteps = 0
        second.since.step = 121
        queue.insertMade(second)
        queue.removePassed()
        #expect(queue.firstUnmade == nil)
        #expect(steps(queue) == [121, 900, 1_000])
        first.markWritten()
        #expect(steps(queue) == [121, 1_000])
        second.markWritten()
        queue.removePassed()
        #expect(steps(queue) == [1_000])
    }

    @Test(arguments: 1...8)
    func `any order of making and writing keeps the order of age`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = BucketQueue()
        var all = (0..<300).map { bucket(50 + 3 * $0, unmade: 1) }
        for bucket in all { queue.appendUnmade(bucket) }
        var used: Set<Int64> = []
        var newest: Int64 = 5_000
        for _ in 0..<700 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                guard let bucket = all.filter(\.isUnmade).randomElement(using: &random) else {
                    continue
                }
                var step = Int64.random(in: bucket.since.step..<4_900, using: &random)
                while !used.insert(step).inserted { step += 1 }
                bucket.unmadeSteps = 0
                bucket.since.step = step
                queue.insertMade(bucket)
            case 2:
                // Rows that lack nothing.
                let bucket = queue.firstUnmade
                bucket?.unmadeSteps = 0
                bucket?.markWritten()
            case 3: queue.oldest(skipsUnmade: true)?.markWritten()
            case 4: all.filter { !$0.isUnmade }.randomElement(using: &random)?.markWritten()
            default:
                newest += 1
                let bucket = bucket(newest)
                queue.append(bucket)
                all.append(bucket)
            }
            if Bool.random(using: &random) { queue.removePassed() }
            let left = all.filter { !$0.isWritten }.sorted { $0.since.step < $1.since.step }
            #expect(steps(queue) == left.map(\.since.step))
            let made = left.filter { !$0.isUnmade }
            #expect(steps(queue, skipsUnmade: true) == made.map(\.since.step))
            #expect(queue.oldest(skipsUnmade: true) === made.first)
        }
    }
}
