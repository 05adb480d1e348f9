/// Counts of latencies in buckets whose width grows with the value: a percentile is at most 0.1 %
/// above the latency that was counted, whatever its size.
///
/// Values are nanoseconds. Up to 2,047 each has a bucket of its own; from there on each doubling of
/// the value is divided into 1,024 buckets. Values above ``valueMax`` count as that.
struct LatencyHistogram: Sendable {
    private static let divisionBits = 10

    private(set) var totalCount: UInt64 = 0
    private(set) var max: UInt64 = 0
    private var counts = [UInt64](repeating: 0, count: bucket(valueMax) + 1)

    mutating func record(_ value: UInt64, count: UInt64 = 1) {
        let value = min(value, Self.valueMax)
        counts[Self.bucket(value)] += count
        totalCount += count
        max = Swift.max(max, value)
    }

    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        totalCount += other.totalCount
        max = Swift.max(max, other.max)
    }

    /// The least value that at least `percentile` percent of the counted values don't exceed,
    /// rounded up to the end of its bucket; 0 when nothing was counted.
    func value(atPercentile percentile: Double) -> UInt64 {
        let share = Swift.min(Swift.max(percentile, 0), 100) / 100
        let wanted = Swift.max(1, UInt64((share * Double(totalCount)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, count) in counts.enumerated() {
            seen += count
            if seen >= wanted { return Swift.min(Self.end(of: index), max) }
        }
        return 0
    }

    /// The bucket that a value falls into.
    private static func bucket(_ value: UInt64) -> Int {
        guard value >> (divisionBits + 1) > 0 else { return Int(value) }
        let shift = UInt64.bitWidth - value.leadingZeroBitCount - divisionBits - 1
        return shift << divisionBits + Int(value >> shift)
    }

    private static func end(of bucket: Int) -> UInt64 {
        guard bucket >> (divisionBits + 1) > 0 else { return UInt64(bucket) }
        let shift = bucket >> divisionBits - 1
        return UInt64(bucket - shift << divisionBits + 1) << shift - 1
    }
}
