import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("TokenBucket")
struct TokenBucketTests {
    private let ten = TokenBucket.Rate(amount: 10, milliseconds: 60_000, burst: 10)

    @Test func `ten at once, and then ten a minute`() {
        var bucket = TokenBucket(ten, at: 1_000)
        for _ in 0..<10 { #expect(bucket.take(at: 1_000) == nil) }
        #expect(bucket.take(at: 1_000) == 6_000)
        #expect(bucket.take(at: 6_999) == 1)
        #expect(bucket.take(at: 7_000) == nil)
        #expect(bucket.take(at: 7_000) == 6_000)
        // A long pause saves up ten and no more.
        for _ in 0..<10 { #expect(bucket.take(at: 10_000_000) == nil) }
        #expect(bucket.take(at: 10_000_000) == 6_000)
    }

    @Test func `no fraction is lost, however often it is asked`() {
        var bucket = TokenBucket(.init(amount: 3, milliseconds: 1_000, burst: 1), at: 0)
        var taken = 0
        for time in 0...10_000 as ClosedRange<Int64> where bucket.take(at: time) == nil {
            taken += 1
        }
        // One at the beginning; then one at 334, 668, … : each waits for a whole unit.
        #expect(taken == 1 + 10_000 / 334)
        var frequent = TokenBucket(.init(amount: 1, milliseconds: 1_000, burst: 5), at: 0)
        _ = frequent.spend(5, at: 0)
        for time in 1...4_999 as ClosedRange<Int64> { _ = frequent.take(0, at: time) }
        #expect(frequent.take(5, at: 4_999) == 1)
        #expect(frequent.take(5, at: 5_000) == nil)
    }

    @Test func `what can't be refused is owed`() {
        var bucket = TokenBucket(.perSecond(1_000), at: 0)
        #expect(bucket.spend(1_000, at: 0) == 0)
        #expect(bucket.spend(500, at: 0) == 500)
        #expect(bucket.spend(0, at: 499) == 1)
        #expect(bucket.spend(0, at: 500) == 0)
        #expect(bucket.take(1, at: 500) == 1)
    }

    @Test func `a clock that is put back adds nothing and takes nothing`() {
        var bucket = TokenBucket(ten, at: 100_000)
        for _ in 0..<10 { _ = bucket.take(at: 100_000) }
        #expect(bucket.take(at: 50_000) == 6_000)
        #expect(bucket.take(at: 56_000) == nil)
        #expect(bucket.take(at: .min) == 6_000)
        #expect(bucket.take(at: .max) == nil)
    }

    @Test func `extreme amounts are bounded`() {
        let huge = TokenBucket.Rate(amount: 1 << 38, milliseconds: 1 << 22, burst: 1 << 38)
        var bucket = TokenBucket(huge, at: .min)
        #expect(bucket.take(1 << 38, at: .max) == nil)
        for _ in 0..<100 { #expect(bucket.spend(.max, at: .max) > 0) }
        #expect(bucket.spend(0, at: .max) > 0)
    }

    @Test func `another rate keeps what is left and what is owed`() {
        var bucket = TokenBucket(.perSecond(100), at: 0)
        #expect(bucket.take(40, at: 0) == nil)
        bucket.change(to: .perSecond(10), at: 0)
        #expect(bucket.take(10, at: 0) == nil)
        #expect(bucket.take(1, at: 0) == 100)
        _ = bucket.spend(20, at: 0)
        bucket.change(to: .init(amount: 20, milliseconds: 2_000, burst: 20), at: 0)
        #expect(bucket.spend(0, at: 0) == 2_000)
    }

    @Test func `asking whether a unit is there takes none`() {
        var bucket = TokenBucket(.init(amount: 1, milliseconds: 10, burst: 1), at: 0)
        #expect(bucket.hasUnit(at: 0) && bucket.hasUnit(at: 0))
        #expect(bucket.take(at: 0) == nil)
        #expect(!bucket.hasUnit(at: 9) && bucket.hasUnit(at: 10))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `never more than the burst and the rate`(seed: UInt64) {
        print("seed \(seed): swift test --disable-xctest --filter 'the burst and the rate'")
        var random = SeededRandom(seed: seed)
        let rate = TokenBucket.Rate(
            amount: .random(in: 1...50, using: &random),
            milliseconds: .random(in: 1...5_000, using: &random),
            burst: .random(in: 1...50, using: &random))
        var bucket = TokenBucket(rate, at: 0)
        var time: Int64 = 0
        var taken: Int64 = 0
        for _ in 0..<2_000 {
            time += .random(in: 0...100, using: &random)
            let units = Int64.random(in: 0...rate.burst, using: &random)
            if let wait = bucket.take(units, at: time) {
                // The wait is exact: a millisecond less isn't enough.
                var copy = bucket
                #expect(copy.take(units, at: time + wait - 1) == 1)
                #expect(copy.take(units, at: time + wait) == nil)
            } else {
                taken += units
            }
            let most = rate.burst * rate.milliseconds + time * rate.amount
            #expect(taken * rate.milliseconds <= most)
        }
        #expect(taken > 0)
    }
}
