import GroveClient

/// A server's numbers over time, for people.
extension NumberSeries {
    /// The heads of ``rows(now:)`` after the time.
    static let columns = [
        "Steps/s", "Requests/s", "Records/s", "Errors/s", "Ack p99", "Commit p99", "Connections",
        "Buffers",
    ]

    /// A row for each point, the oldest first: its time and its numbers, `-` for what isn't known.
    func rows(now: Int64) -> [[String]] {
        let end = HumanTime.milliseconds(until) ?? now
        let count = numbers.values.map(\.count).max() ?? 0
        return (0..<count).map { place in
            func text(_ name: String, _ form: (Int64) -> String) -> String {
                guard let points = numbers[name], points.indices.contains(place) else { return "-" }
                return points[place].map(form) ?? "-"
            }
            func rate(_ number: Int64) -> String {
                StatsChange.number(Double(number) * 1_000 / Double(everyMilliseconds))
            }
            func time(_ bound: Int64) -> String {
                bound > 10_000_000 ? "over 10 s" : "≤ " + StatsChange.time(Double(bound))
            }
            let moment = end - Int64(count - 1 - place) * everyMilliseconds
            return [
                HumanTime.local(moment, now: now), text("engine_steps", rate),
                text("requests", rate), text("records_published", rate), text("errors", rate),
                text("ack_us.p99", time), text("commit_us.p99", time),
                text("connections", StatsChange.count),
                text("buffer_bytes") { StatsChange.bytes(Double($0)) },
            ]
        }
    }
}
