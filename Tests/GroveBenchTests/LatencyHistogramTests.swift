import Testing

@testable import GroveBench

@Suite("LatencyHistogram")
struct LatencyHistogramTests {
    @Test func `an empty histogram has no latencies`() {
        let histogram = LatencyHistogram()
        #expect(histogram.totalCount == 0)
        #expect(histogram.max == 0)
        #expect(histogram.value(atPercentile: 50) == 0)
    }

    @Test func `percentiles are the values themselves, as sorting has them`() {
        var generator = SystemRandomNumberGenerator()
        for bits in [4, 11, 12, 20, 33, 39] {
            var histogram = LatencyHistogram()
            let values = (0..<2_000).map { _ in
                UInt64.random(in: 0..<1 << bits, using: &generator)
            }.sorted()
            for value in values { histogram.record(value) }
            for percentile in [0, 1, 50, 90, 99, 99.9, 100] {
                let rank = max(1, Int((percentile / 100 * 2_000).rounded(.up)))
                let exact = values[rank - 1]
                let found = histogram.value(atPercentile: percentile)
                #expect(found >= exact)
                #expect(Double(found) <= Double(exact) * 1.001)
            }
            #expect(histogram.max == values.last)
        }
    }

    @Test func `values past the longest latency count as that`() {
        var histogram = LatencyHistogram()
        histogram.record(.max)
        #expect(histogram.max == LatencyHistogram.valueMax)
        #expect(histogram.value(atPercentile: 100) == LatencyHistogram.valueMax)
    }

    @Test func `two histograms add up to one`() {
        var first = LatencyHistogram()
        var second = LatencyHistogram()
        var both = LatencyHistogram()
        for value in stride(from: UInt64(1_000), to: 9_000_000, by: 7_001) {
            if value % 3 == 0 { first.record(value, count: 2) } else { second.record(value) }
            both.record(value, count: value % 3 == 0 ? 2 : 1)
        }
        first.add(second)
        #expect(first.totalCount == both.totalCount)
        for percentile in [1.0, 50, 99, 100] {
            #expect(
                first.value(atPercentile: percentile) == both.value(atPercentile: percentile))
        }
    }
}
