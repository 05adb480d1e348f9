/// How often a measured value fell into each of some fixed buckets; a plain number for each, so
/// that recording costs a few comparisons and no memory.
public struct Distribution: Sendable, Equatable {
    /// The largest value of each bucket, ascending; what is larger than all has one more bucket.
    public let bounds: [Int64]
    /// How many values fell into each bucket.
    public private(set) var counts: [Int64]
    /// All values added up.
    public private(set) var sum: Int64 = 0

    /// A distribution of nothing.
    ///
    /// - Precondition: The bounds ascend.
    public init(bounds: [Int64]) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Counts one value.
    public mutating func record(_ value: Int64) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        counts[bucket] += 1
        sum += value
    }

    /// How many values were counted.
    public var count: Int64 { counts.reduce(0, +) }

    /// The numbers by name: `count`, `sum`, and as `le_BOUND` how many values were at most that.
    public func numbers(_ name: String) -> [(name: String, value: Int64)] {
        var numbers = [(name: "\(name).count", value: count), ("\(name).sum", sum)]
        var below: Int64 = 0
        for (bound, count) in zip(bounds, counts) {
            below += count
            numbers.append(("\(name).le_\(bound)", below))
        }
        return numbers
    }

    /// Bounds for times in microseconds: from a tenth of a sync on a fast disk to one that hangs.
    public static let times: [Int64] = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000,
    ]

    /// Bounds for how many requests share a commit: `max-outstanding` is the most.
    public static let sizes: [Int64] = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536]
}
