import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AddressBackoff")
struct AddressBackoffTests {
    static func address(_ number: Int) throws -> AddressKey {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return try #require(AddressKey(bytes))
    }

    @Test func `the eleventh failure in a minute is too many`() throws {
        var table = AddressBackoff()
        let one = try Self.address(1)
        for number in 1...10 {
            #expect(!table.isSpent(one, at: 0))
            table.recordFailure(of: one, at: 0)
            #expect(table.isSpent(one, at: 0) == (number == 10))
        }
        #expect(!table.isSpent(try Self.address(2), at: 0))
        #expect(table.isSpent(one, at: 5_999))
        #expect(!table.isSpent(one, at: 6_000))
        table.recordFailure(of: one, at: 6_000)
        #expect(table.isSpent(one, at: 6_000))
    }

    @Test func `who fails on doesn't wait longer`() throws {
        var table = AddressBackoff()
        let one = try Self.address(1)
        for _ in 0..<1_000 { table.recordFailure(of: one, at: 0) }
        #expect(!table.isSpent(one, at: 6_000))
    }

    @Test func `the least recent address makes room`() throws {
        var table = AddressBackoff()
        for number in 0..<AddressBackoff.addressesMax {
            for _ in 0..<10 { table.recordFailure(of: try Self.address(number), at: 0) }
        }
        #expect(table.count == AddressBackoff.addressesMax)
        // The first one is the most recent now, so the second one goes.
        table.recordFailure(of: try Self.address(0), at: 0)
        table.recordFailure(of: try Self.address(1_000_000), at: 0)
        #expect(table.count == AddressBackoff.addressesMax)
        #expect(table.isSpent(try Self.address(0), at: 0))
        #expect(!table.isSpent(try Self.address(1), at: 0))
        #expect(table.isSpent(try Self.address(2), at: 0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `it agrees with a list that is searched`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'a list that is searched'")
        var random = SeededRandom(seed: seed)
        let rate = TokenBucket.Rate(amount: 2, milliseconds: 100, burst: 3)
        var table = AddressBackoff(entriesMax: 4, rate: rate)
        var model: [(address: AddressKey, bucket: TokenBucket)] = []
        var time: Int64 = 0
        for _ in 0..<3_000 {
            time += .random(in: 0...20, using: &random)
            let address = try Self.address(.random(in: 0..<7, using: &random))
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

@Suite("AddressKey")
struct AddressKeyTests {
    private let head: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]

    @Test func `an IPv6 address counts by its first 64 bits`() throws {
        let one = try #require(AddressKey(head + [0, 0, 0, 0, 0, 0, 0, 1]))
        let other = try #require(AddressKey(head + [9, 9, 9, 9, 9, 9, 9, 9]))
        #expect(one == other)
        var next = head
        next[7] += 1
        #expect(AddressKey(next + [0, 0, 0, 0, 0, 0, 0, 1]) != one)
    }

    @Test func `an IPv4 address counts whole, also within IPv6`() throws {
        let one = try #require(AddressKey([192, 0, 2, 1]))
        #expect(AddressKey([192, 0, 2, 2]) != one)
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1]
        #expect(AddressKey(mapped) == one)
        // The same number as the head of an IPv6 address is another client.
        #expect(AddressKey([0, 0, 0, 0, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1]) != one)
    }

    @Test func `other addresses have no key`() {
        #expect(AddressKey([]) == nil)
        #expect(AddressKey([1, 2, 3]) == nil)
        #expect(AddressKey([UInt8](repeating: 0, count: 17)) == nil)
    }
}
