/// The difference of two samples: rates and percentiles.
struct StatsChange {
    let before: StatsSample
    let after: StatsSample
    let seconds: Double

    /// - Returns: `nil` when they can't be compared: the server was restarted in between, or no
    ///   time has passed.
    init?(_ before: StatsSample, _ after: StatsSample) {
        seconds = (after.taken - before.taken) / .seconds(1)
        guard seconds > 0, after["uptime_ms"] >= before["uptime_ms"] else { return nil }
        self.before = before
        self.after = after
    }

    func growth(_ name: String) -> Int64 { max(0, after[name] - before[name]) }

    /// The growth of a counter per second.
    func rate(_ name: String) -> Double { Double(growth(name)) / seconds }

    /// The parts of a counter that have grown, the largest first: `requests.send` as `send`.
    func parts(of name: String) -> [(name: String, rate: Double)] {
        let prefix = name + "."
        return after.numbers.keys.filter { $0.hasPrefix(prefix) && growth($0) > 0 }
            .map { (String($0.dropFirst(prefix.count)), rate($0)) }
            .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// The mean of a histogram's new values; `nil` when there are none.
    func mean(_ name: String) -> Double? {
        let count = growth(name + ".count")
        return count > 0 ? Double(growth(name + ".sum")) / Double(count) : nil
    }

    /// A percentile of a histogram's new values, interpolated within its bucket. `nil` when there
    /// are none; infinite above the last bucket.
    func percentile(_ percent: Double, of name: String) -> Double? {
        let count = growth(name + ".count")
        guard count > 0 else { return nil }
        let prefix = name + ".le_"
        let bounds = after.numbers.keys.filter { $0.hasPrefix(prefix) }
            .compactMap { Int64($0.dropFirst(prefix.count)) }.sorted()
        let rank = max(1, (percent / 100 * Double(count)).rounded(.up))
        var (low, below) = (0.0, 0.0)
        for bound in bounds {
            let upTo = Double(growth("\(prefix)\(bound)"))
            if upTo >= rank {
                return low + (Double(bound) - low) * (rank - below) / (upTo - below)
            }
            (low, below) = (Double(bound), upTo)
        }
        return .infinity
    }
}
