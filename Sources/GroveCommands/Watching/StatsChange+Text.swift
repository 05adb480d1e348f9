import OrderedJSON

/// The numbers for people and programs.
extension StatsChange {
    /// Rows of a table: a number's name, its value, and its details.
    var rows: [[String]] {
        let now = after
        let steps = Self.count(now["journal_steps"])
        return [
            ["last", Self.number(seconds) + " s", ""],
            ["events", rateText("ack_us.count"), "acknowledged in " + times("ack_us")],
            ["commits", rateText("commits"), "made in " + times("commit_us") + eventsEach],
            ["steps", rateText("engine_steps"), ""],
            ["requests", rateText("requests"), parts("requests")],
            ["errors", rateText("errors"), parts("errors")],
            [
                "records", rateText("records_published"),
                "for " + counted(now["subscriptions"], "subscription"),
            ],
            [
                "bytes", Self.bytes(rate("bytes_in")) + "/s in",
                Self.bytes(rate("bytes_out")) + "/s out",
            ],
            [
                "connections", Self.count(now["connections"]),
                "with \(bytes("buffer_bytes")) unsent or unfinished",
            ],
            [
                "instances", Self.count(now["instances"]),
                "\(Self.count(now["instances_resident"])) in memory",
            ],
            [
                "effects", Self.count(now["effects"]),
                "\(now["effects_under_way"]) under way, \(now["requests_waiting"]) requests wait",
            ],
            ["journal", bytes("journal_bytes"), "\(steps) steps"],
            ["data file", bytes("file_bytes"), "and \(bytes("wal_bytes")) of log"],
            ["up", HumanTime.span(seconds: now["uptime_ms"] / 1000), ""],
        ]
    }

    /// The main numbers in one line.
    var line: String {
        let now = after
        return [
            "events \(rateText("ack_us.count"))", "ack \(times("ack_us"))",
            "commits \(rateText("commits"))", "errors \(rateText("errors"))",
            "connections \(now["connections"])", "instances \(now["instances"])",
            "effects \(now["effects"])",
        ].joined(separator: "  ")
    }

    /// The rates and percentiles as an object.
    var json: JSONValue {
        func percentiles(_ name: String) -> JSONValue {
            var object = JSONObject()
            for (key, percent) in Self.percentiles {
                if let value = percentile(percent, of: name), value.isFinite {
                    object[key] = .integer(Int64(value.rounded()))
                }
            }
            return .object(object)
        }
        func perSecond(_ name: String) -> JSONValue {
            .double((rate(name) * 10).rounded() / 10)
        }
        return [
            "seconds": .double((seconds * 1000).rounded() / 1000),
            "events_per_second": perSecond("ack_us.count"),
            "requests_per_second": perSecond("requests"),
            "errors_per_second": perSecond("errors"),
            "commits_per_second": perSecond("commits"),
            "ack_us": percentiles("ack_us"), "commit_us": percentiles("commit_us"),
            "connections": .integer(after["connections"]),
            "instances": .integer(after["instances"]),
            "effects": .integer(after["effects"]),
        ]
    }

    private static let percentiles = [("p50", 50.0), ("p90", 90.0), ("p99", 99.0)]

    private func rateText(_ name: String) -> String { Self.number(rate(name)) + "/s" }

    private func bytes(_ name: String) -> String { Self.bytes(Double(after[name])) }

    /// `p50 0.31 ms  p90 0.8 ms  p99 2.1 ms`, or `-` when nothing was measured.
    private func times(_ name: String) -> String {
        let words = Self.percentiles.compactMap { key, percent in
            percentile(percent, of: name).map { "\(key) \(Self.time($0))" }
        }
        return words.isEmpty ? "-" : words.joined(separator: " ")
    }

    private var eventsEach: String {
        mean("commit_requests").map { ", \(Self.number($0)) requests each" } ?? ""
    }

    private func parts(_ name: String) -> String {
        parts(of: name).prefix(6).map { "\($0.name) \(Self.number($0.rate))" }
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
