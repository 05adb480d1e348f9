import GroveEngine
import GroveWire
import OrderedJSON

/// What a server did and had over time, in two rows of points: each second of the last ten minutes,
/// and each ten seconds of the last two hours.
///
/// Its owner calls ``record(_:acks:commits:at:)`` once per second. It takes 170 KiB, and as much
/// again while somebody reads it.
package struct StatsSeries: Sendable {
    /// Counters of `stats`: a point has what was counted in its time.
    static let counters = [
        "engine_steps", "requests", "errors", "records_published", "commits", "bytes_in",
        "bytes_out",
    ]
    /// Gauges of `stats`: a point has what there was at its end.
    static let gauges = [
        "connections", "subscriptions", "instances", "effects", "effects_under_way",
        "buffer_bytes", "file_bytes",
    ]
    /// Histograms of `stats`: a point has the bound below which 99 % of its time's values lie.
    static let times = ["ack_us.p99", "commit_us.p99"]

    private var rows: [SeriesStep: Row] = [:]
    /// The members of replies since the last point.
    private var texts: [SeriesStep: [UInt8]] = [:]

    package init() {}

    /// Adds the numbers of this moment to both rows.
    ///
    /// - Parameters:
    ///   - numbers: Numbers of `stats` by name. Those that are missing aren't known.
    ///   - acks: The times until events were acknowledged, since the start.
    ///   - commits: The times of commits, since the start.
    package mutating func record(
        _ numbers: [(name: String, value: Int64)], acks: Distribution, commits: Distribution,
        at now: Moment
    ) {
        let byName = Dictionary(numbers.map { ($0.name, $0.value) }) { first, _ in first }
        let sample = Sample(
            counters: Self.counters.map { byName[$0] }, gauges: Self.gauges.map { byName[$0] },
            times: [acks, commits], taken: now)
        for step in SeriesStep.allCases {
            if rows[step, default: Row(step)].add(sample) { texts[step] = nil }
        }
    }

    /// Writes the members of a reply: `every_ms`, `until` and `series`.
    mutating func append(
        _ step: SeriesStep, now: Moment, _ times: inout TimestampText, to writer: inout JSONWriter
    ) {
        if texts[step] == nil {
            var text = JSONWriter()
            let row = rows[step] ?? Row(step)
            text.member("every_ms", step.milliseconds)
            times.append(row.last?.taken.time ?? now.time, as: #","until":""#, to: &text)
            row.append(to: &text)
            texts[step] = text.bytes
        }
        writer.raw(texts[step] ?? [])
    }
}

extension StatsSeries {
    /// All numbers at one moment. What isn't known is `nil`.
    private struct Sample: Sendable {
        var counters: [Int64?]
        var gauges: [Int64?]
        var times: [Distribution]
        var taken: Moment
    }

    /// The points of one step, the oldest first.
    private struct Row: Sendable {
        private static let width =
            StatsSeries.counters.count + StatsSeries.gauges.count + StatsSeries.times.count
        /// Stands for a number that isn't known; no number of `stats` is that small.
        private static let unknown = Int64.min

        private let step: SeriesStep
        /// A ring of points, each with ``width`` numbers.
        private var points: [Int64] = []
        /// The place of the oldest point, once the ring is full.
        private var oldest = 0
        /// What was known at the end of the newest point.
        private(set) var last: Sample?

        init(_ step: SeriesStep) { self.step = step }

        /// Adds the points since the last one.
        ///
        /// - Returns: Whether there are any.
        mutating func add(_ sample: Sample) -> Bool {
            guard let last else {
                self.last = sample
                return false
            }
            let elapsed = sample.taken.uptime - last.taken.uptime
            // Measurements come once per second, a little early or late.
            let count = (elapsed + 500) / step.milliseconds
            guard count > 0 else { return false }
            self.last = sample
            // A late measurement is shared by its points. Of a longer pause nothing is known.
            let isKnown = count <= ServerLimits.latePointsMax
            for place in 0..<min(Int(count), step.pointsMax) {
                let isLast = place == Int(count) - 1
                append(
                    isKnown
                        ? point(from: last, to: sample, count, isLast: isLast)
                        : Array(repeating: Self.unknown, count: Self.width))
            }
            return true
        }

        private func point(
            from last: Sample, to sample: Sample, _ count: Int64, isLast: Bool
        ) -> [Int64] {
            let counted = zip(sample.counters, last.counters).map { now, before -> Int64 in
                guard let now, let before else { return Self.unknown }
                let (share, rest) = (now - before).quotientAndRemainder(dividingBy: count)
                return isLast ? share + rest : share
            }
            let times = zip(sample.times, last.times).map { now, before in
                now.bound(of: 99, since: before) ?? Self.unknown
            }
            return counted + sample.gauges.map { $0 ?? Self.unknown } + times
        }

        private mutating func append(_ point: [Int64]) {
            guard points.count == step.pointsMax * Self.width else {
                return points.append(contentsOf: point)
            }
            let start = oldest * Self.width
            points.replaceSubrange(start..<start + Self.width, with: point)
            oldest = (oldest + 1) % step.pointsMax
        }

        /// Writes `series`, one array of each name.
        func append(to writer: inout JSONWriter) {
            writer.object("series") { writer in
                let names = StatsSeries.counters + StatsSeries.gauges + StatsSeries.times
                let count = points.count / Self.width
                for (column, name) in names.enumerated() {
                    writer.comma()
                    writer.string(name)
                    writer.literal(":[")
                    for place in 0..<count {
                        if place > 0 { writer.literal(",") }
                        let number = points[(oldest + place) % count * Self.width + column]
                        if number == Self.unknown { writer.null() } else { writer.integer(number) }
                    }
                    writer.literal("]")
                }
            }
        }
    }
}

extension SeriesStep {
    /// The number of points that are kept.
    fileprivate var pointsMax: Int {
        self == .second ? ServerLimits.pointsOfSeconds : ServerLimits.pointsOfTenSeconds
    }
}
