/// Places on a line that are as near as possible to wanted ones, in a given order and with gaps:
/// weighted least squares, exactly, by pooling adjacent violators (Ayer et al., 1955).
enum IsotonicRegression {
    /// A thing to be placed.
    struct Item {
        /// The wanted place.
        var wanted: Double
        /// How much it is wanted; more than 0.
        var weight: Double
        /// The least distance from the item before it.
        var gap: Double
    }

    /// The places of the items.
    static func places(_ items: [Item]) -> [Double] {
        // Without the gaps in sum, the places only have to be ascending.
        var pools: [(value: Double, weight: Double, count: Int)] = []
        pools.reserveCapacity(items.count)
        var gaps = 0.0
        for (index, item) in items.enumerated() {
            if index > 0 { gaps += item.gap }
            var pool = (value: item.wanted - gaps, weight: item.weight, count: 1)
            while let last = pools.last, last.value >= pool.value {
                let weight = last.weight + pool.weight
                let sum = last.value * last.weight + pool.value * pool.weight
                pool = (sum / weight, weight, last.count + pool.count)
                pools.removeLast()
            }
            pools.append(pool)
        }
        var places: [Double] = []
        places.reserveCapacity(items.count)
        gaps = 0
        for pool in pools {
            for _ in 0..<pool.count {
                if !places.isEmpty { gaps += items[places.count].gap }
                places.append(pool.value + gaps)
            }
        }
        return places
    }
}
