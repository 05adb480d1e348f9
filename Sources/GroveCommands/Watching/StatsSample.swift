import GroveClient
import OrderedJSON

/// The server's numbers at one moment.
struct StatsSample {
    let numbers: [String: Int64]
    let taken: ContinuousClock.Instant

    /// Takes the numbers of an answer to `stats`.
    init(_ reply: Reply, taken: ContinuousClock.Instant = .now) {
        var numbers: [String: Int64] = [:]
        let document = reply.document
        for (name, value) in document.members(of: document.root) {
            numbers[document.plainText(name)] = document.integer(value)
        }
        self.init(numbers: numbers, taken: taken)
    }

    init(numbers: [String: Int64], taken: ContinuousClock.Instant) {
        self.numbers = numbers
        self.taken = taken
    }

    subscript(name: String) -> Int64 { numbers[name] ?? 0 }
}

/// What has happened between two moments: rates, and percentiles of what was measured.
struct StatsChange {
    let before: StatsSample
    let after: StatsSample
    let seconds: Double

    /// - Returns: `nil` when there is nothing to compare: the server was started in between, or
    ///   no time has gone by.
    init?(_ before: StatsSample, _ after: StatsSample) {
        seconds = (after.taken - before.taken) / .seconds(1)
        guard seconds > 0, after["uptime_ms"] >= before["uptime_ms"] else { return nil }
        self.before = before
        self.after = after
    }

    /// How much a counter has grown.
    func growth(_ name: String) -> Int64 { max(0, after[name] - before[name]) }

    /// How much a counter has grown in a second.
    func rate(_ name: String) -> Double { Double(growth(name)) / seconds }

    /// The parts of a counter that have grown, the greatest first: `requests.send` as `send`.
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

    /// A percentile of a histogram's new values, as exact as its buckets are: within one it is
    /// taken to be where it would be if the values were evenly spread. `nil` when there are none;
    /// infinite above the last bucket.
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
