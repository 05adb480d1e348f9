import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// Finding buckets that others retain.
@Suite("BucketIndex")
struct BucketIndexTests {
    @Test func `it finds exactly the buckets in it, and retains none`() throws {
        var random = SeededRandom(seed: 11)
        var index = BucketIndex()
        var retained: [RowBucket.ID: RowBucket] = [:]
        for _ in 0..<10_000 {
            let id = Int64.random(in: 0..<300, using: &random)
            if Bool.random(using: &random) {
                let bucket = RowBucket(id: id, since: RedoPoint(step: 1))
                retained[id] = bucket
                index[id] = bucket
            } else {
                index[id] = nil
                retained[id] = nil
            }
            let other = Int64.random(in: 0..<300, using: &random)
            #expect(index[other] === retained[other])
            #expect(index.unretained(other)?.toOpaque() == retained[other].map(address))
        }
        weak let gone = retained.values.first
        #expect(gone != nil)
        retained = [:]
        #expect(gone == nil)
    }

    private func address(_ bucket: RowBucket) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(bucket).toOpaque()
    }
}
