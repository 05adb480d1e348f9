import OrderedJSON

/// The result of a benchmark, for people or as JSON.
package struct BenchReport {
    let plan: BenchPlan
    package let tally: BenchTally
    /// The time from the first request to the last reply.
    let seconds: Double

    private static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9),
    ]

    private var perSecond: Double { seconds > 0 ? Double(tally.acknowledged) / seconds : 0 }

    /// Latencies in microseconds: the percentiles and the largest.
    private var latencies: [(name: String, micros: Double)] {
        guard tally.latency.totalCount > 0 else { return [] }
        let known = BenchReport.percentiles.map { percentile in
            (percentile.name, Double(tally.latency.value(atPercentile: percentile.value)) / 1000)
        }
        return known + [("max", Double(tally.latency.max) / 1000)]
    }

    private var errors: [(code: String, count: Int)] {
        tally.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { (code: $0.key, count: $0.value) }
    }

    /// One JSON object: the plan, counts, events per second, latencies in microseconds.
    package var json: [UInt8] {
        var latency = JSONObject()
        for (name, micros) in latencies { latency[name] = .double(rounded(micros)) }
        var codes = JSONObject()
        for (code, count) in errors { codes[code] = .integer(Int64(count)) }
        let report: JSONValue = [
            "connections": .integer(Int64(plan.connections)),
            "pipeline": .integer(Int64(plan.pipeline)),
            "rate": plan.rate.map { .integer(Int64($0)) } ?? .null,
            "threads": .integer(Int64(plan.threads)),
            "instances": .integer(Int64(plan.instances)),
            "dedup": .bool(plan.usesDedup),
            "seconds": .double((seconds * 1000).rounded() / 1000),
            "sent": .integer(Int64(tally.sent)),
            "acked": .integer(Int64(tally.acknowledged)),
            "duplicates": .integer(Int64(tally.duplicates)),
            "errors": .object(codes),
            "unknown": .integer(Int64(tally.unknown)),
            "unsent": .integer(Int64(tally.unsent)),
            "reconnects": .integer(Int64(tally.reconnects)),
            "broken": .integer(Int64(tally.breaks.count)),
            "per_second": .double(rounded(perSecond)),
            "latency_us": .object(latency),
        ]
        return report.serialized()
    }

    /// Rows of a table for people.
    package var rows: [[String]] {
        var rows = [
            [
                "load",
                "\(plan.connections) connections × \(plan.pipeline) under way, "
                    + (plan.rate.map { "\($0) events/s, " } ?? "")
                    + "\(plan.instances) instances, dedup \(plan.usesDedup ? "on" : "off")",
            ],
            ["time", "\((seconds * 100).rounded() / 100) s"],
            ["acknowledged", "\(tally.acknowledged)"],
            ["events/s", "\(Int(perSecond.rounded()))"],
        ]
        if tally.duplicates > 0 { rows.append(["repeated", "\(tally.duplicates)"]) }
        if tally.unknown > 0 { rows.append(["no reply", "\(tally.unknown)"]) }
        if tally.unsent > 0 { rows.append(["not sent", "\(tally.unsent)"]) }
        if tally.reconnects > 0 { rows.append(["reconnects", "\(tally.reconnects)"]) }
        for (code, count) in errors { rows.append(["error", "\(count) × \(code)"]) }
        for (name, micros) in latencies { rows.append([name, "\(rounded(micros)) µs"]) }
        return rows
    }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
