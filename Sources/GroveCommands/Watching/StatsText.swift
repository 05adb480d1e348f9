import OrderedJSON

/// What a server does, in words, from two samples of its numbers.
struct StatsText {
    let change: StatsChange

    /// What, how much, and what of it: rows of a table.
    var rows: [[String]] {
        let now = change.after
        let steps = StatsText.count(now["journal_steps"])
        return [
            ["last", StatsText.number(change.seconds) + " s", ""],
            ["events", rate("ack_us.count"), "acknowledged in " + times("ack_us")],
            ["commits", rate("commits"), "made in " + times("commit_us") + eventsEach],
            ["steps", rate("engine_steps"), ""],
            ["requests", rate("requests"), parts("requests")],
            ["errors", rate("errors"), parts("errors")],
            [
                "records", rate("records_published"),
                "for " + counted(now["subscriptions"], "subscription"),
            ],
            [
                "bytes", StatsText.bytes(change.rate("bytes_in")) + "/s in",
                StatsText.bytes(change.rate("bytes_out")) + "/s out",
            ],
            [
                "connections", StatsText.count(now["connections"]),
                "with \(bytes("buffer_bytes")) unsent or unfinished",
            ],
            [
                "instances", StatsText.count(now["instances"]),
                "\(StatsText.count(now["instances_resident"])) in memory",
            ],
            [
                "effects", StatsText.count(now["effects"]),
                "\(now["effects_under_way"]) under way, \(now["requests_waiting"]) requests wait",
            ],
            ["journal", bytes("journal_bytes"), "\(steps) steps"],
            ["data file", bytes("file_bytes"), "and \(bytes("wal_bytes")) of log"],
            ["up", HumanTime.span(seconds: now["uptime_ms"] / 1000), ""],
        ]
    }

    /// The same in one line, where there is no screen to keep it on.
    var line: String {
        let now = change.after
        return [
            "events \(rate("ack_us.count"))", "ack \(times("ack_us"))",
            "commits \(rate("commits"))", "errors \(rate("errors"))",
            "connections \(now["connections"])", "instances \(now["instances"])",
            "effects \(now["effects"])",
        ].joined(separator: "  ")
    }

    /// The rates and percentiles as an object, for programs.
    var json: JSONValue {
        func percentiles(_ name: String) -> JSONValue {
            var object = JSONObject()
            for (key, percent) in StatsText.percentiles {
                guard let value = change.percentile(percent, of: name), value.isFinite else {
                    continue
                }
                object[key] = .integer(Int64(value.rounded()))
            }
            return .object(object)
        }
        func perSecond(_ name: String) -> JSONValue {
            .double((change.rate(name) * 10).rounded() / 10)
        }
        return [
            "seconds": .double((change.seconds * 1000).rounded() / 1000),
            "events_per_second": perSecond("ack_us.count"),
            "requests_per_second": perSecond("requests"),
            "errors_per_second": perSecond("errors"),
            "commits_per_second": perSecond("commits"),
            "ack_us": percentiles("ack_us"), "commit_us": percentiles("commit_us"),
            "connections": .integer(change.after["connections"]),
            "instances": .integer(change.after["instances"]),
            "effects": .integer(change.after["effects"]),
        ]
    }

    private static let percentiles = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0)]

    private func rate(_ name: String) -> String { StatsText.number(change.rate(name)) + "/s" }

    private func bytes(_ name: String) -> String { StatsText.bytes(Double(change.after[name])) }

    /// `p50 0.31 ms  p90 0.8 ms  p99 2.1 ms`, or `-` when nothing was measured.
    private func times(_ name: String) -> String {
        let words = StatsText.percentiles.compactMap { key, percent in
            change.percentile(percent, of: name).map { "\(key) \(StatsText.time($0))" }
        }
        return words.isEmpty ? "-" : words.joined(separator: " ")
    }

    private var eventsEach: String {
        change.mean("commit_requests").map { ", \(StatsText.number($0)) requests each" } ?? ""
    }

    private func parts(_ name: String) -> String {
        change.parts(of: name).prefix(6).map { "\($0.name) \(StatsText.number($0.rate))" }
            .joined(separator: ", ")
    }

    // MARK: Numbers

    /// Microseconds, as milliseconds or seconds with about two digits.
    static func time(_ micros: Double) -> String {
        guard micros.isFinite else { return "over 10 s" }
        if micros >= 1_000_000 { return number(micros / 1_000_000) + " s" }
        if micros >= 100_000 { return "\(Int((micros / 1_000).rounded())) ms" }
        return number(micros / 1_000) + " ms"
    }

    /// A number with about three digits: `0.31`, `4.2`, `1,234`.
    static func number(_ value: Double) -> String {
        if value >= 100 { return count(Int64(value.rounded())) }
        let factor = value < 1 ? 100.0 : 10.0
        let rounded = (value * factor).rounded() / factor
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    /// A whole number with commas.
    static func count(_ value: Int64) -> String {
        var digits = Array(String(abs(value)))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (value < 0 ? "-" : "") + String(digits)
    }

    /// Bytes in the unit that fits.
    static func bytes(_ value: Double) -> String {
        var (value, unit) = (value, 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return "\(number(value)) \(units[unit])"
    }
}
