import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AddressBackoff")
struct AddressBackoffTests {
    @Test func `the eleventh failure in a minute is too many`() throws {
        var table = AddressBackoff<Int>()
        let one = 1
        for number in 1...10 {
            #expect(!table.isSpent(one, at: 0))
            table.recordFailure(of: one, at: 0)
            #expect(table.isSpent(one, at: 0) == (number == 10))
        }
        #expect(!table.isSpent(2, at: 0))
        #expect(table.isSpent(one, at: 5_999))
        #expect(!table.isSpent(one, at: 6_000))
        table.recordFailure(of: one, at: 6_000)
        #expect(table.isSpent(one, at: 6_000))
    }

    @Test func `who fails on doesn't wait longer`() throws {
        var table = AddressBackoff<Int>()
        let one = 1
        for _ in 0..<1_000 { table.recordFailure(of: one, at: 0) }
        #expect(!table.isSpent(one, at: 6_000))
    }

    @Test func `the least recent address makes room`() throws {
        var table = AddressBackoff<Int>()
        for number in 0..<BackoffLimits.addressesMax {
            for _ in 0..<10 { table.recordFailure(of: number, at: 0) }
        }
        #expect(table.count == BackoffLimits.addressesMax)
        // The first one is the most recent now, so the second one goes.
        table.recordFailure(of: 0, at: 0)
        table.recordFailure(of: 1_000_000, at: 0)
        #expect(table.count == BackoffLimits.addressesMax)
        #expect(table.isSpent(0, at: 0))
        #expect(!table.isSpent(1, at: 0))
        #expect(table.isSpent(2, at: 0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `it agrees with a list that is searched`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'a list that is searched'")
        var random = SeededRandom(seed: seed)
        let rate = TokenBucket.Rate(amount: 2, milliseconds: 100, burst: 3)
        var table = AddressBackoff<Int>(entriesMax: 4, rate: rate)
        var model: [(address: Int, bucket: TokenBucket)] = []
        var time: Int64 = 0
        for _ in 0..<3_000 {
            time += .random(in: 0...20, using: &random)
            let address = Int.random(in: 0..<7, using: &random)
            let place = model.firstIndex { $0.address == address }
            let isSpent = place.map { !model[$0].bucket.hasUnit(at: time) } ?? false
            #expect(table.isSpent(address, at: time) == isSpent)
            guard Bool.random(using: &random) else { continue }
            table.recordFailure(of: address, at: time)
            var bucket = TokenBucket(rate, at: time)
            if let place { bucket = model.remove(at: place).bucket }
            _ = bucket.take(at: time)
            model.append((address, bucket))
            if model.count > 4 { model.removeFirst() }
            #expect(table.count == model.count)
        }
    }
}
