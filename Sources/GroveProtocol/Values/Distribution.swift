/// The number of measured values per bucket of fixed bounds. Recording costs a few comparisons and
/// no memory.
package struct Distribution: Sendable, Equatable {
    /// The largest value of each bucket, ascending; one more bucket has the larger values.
    package let bounds: [Int64]
    package private(set) var counts: [Int64]
    package private(set) var sum: Int64 = 0

    /// An empty distribution.
    ///
    /// - Precondition: The bounds ascend.
    package init(bounds: [Int64]) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package mutating func record(_ value: Int64) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts[bucket] += 1
        sum += value
    }

    package var count: Int64 { counts.reduce(0, +) }

    /// The numbers by name: `count`, `sum`, and as `le_BOUND` how many values were at most that.
    package func numbers(_ name: String) -> [(name: String, value: Int64)] {
        var numbers = [(name: "\(name).count", value: count), ("\(name).sum", sum)]
        var below: Int64 = 0
        for (bound, count) in zip(bounds, counts) {
            below += count
            numbers.append(("\(name).le_\(bound)", below))
        }
        return numbers
    }

    /// The bound of the bucket in which `percent` of the values since `before` are reached: one
    /// more than the last bound for values beyond it, and `nil` without values.
    func bound(of percent: Int64, since before: Distribution) -> Int64? {
        let added = zip(counts, before.counts).map(-)
        let total = added.reduce(0, +)
        guard total > 0 else { return nil }
        var below: Int64 = 0
        for (bound, count) in zip(bounds, added) {
            below += count
            if below * 100 >= total * percent { return bound }
        }
        return (bounds.last ?? 0) + 1
    }

    /// Bounds for times in microseconds: from a tenth of a sync on a fast disk to one that hangs.
    package static let times: [Int64] = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000,
    ]

    /// Bounds for the number of requests of a commit: `max-outstanding` is the most.
    package static let sizes: [Int64] = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536]
}
