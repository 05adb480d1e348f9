import Testing

@testable import GroveProtocol

@Suite("Distribution")
struct DistributionTests {
    @Test func `a value falls into the first bucket whose bound it doesn't exceed`() {
        var distribution = Distribution(bounds: [10, 100])
        for value: Int64 in [0, 10, 11, 100, 101, 5_000] { distribution.record(value) }
        #expect(distribution.counts == [2, 2, 2])
        #expect(distribution.count == 6 && distribution.sum == 5_222)
    }

    @Test func `its numbers add up from bucket to bucket`() {
        var distribution = Distribution(bounds: [10, 100])
        for value: Int64 in [1, 2, 50, 1_000] { distribution.record(value) }
        let numbers = distribution.numbers("x_us").map { "\($0.name)=\($0.value)" }
        #expect(numbers == ["x_us.count=4", "x_us.sum=1053", "x_us.le_10=2", "x_us.le_100=3"])
    }

    @Test(arguments: [Distribution.times, Distribution.sizes])
    func `bounds ascend from fast to much too slow`(bounds: [Int64]) {
        #expect(zip(bounds, bounds.dropFirst()).allSatisfy(<))
        #expect((5...20).contains(bounds.count))
    }
}
