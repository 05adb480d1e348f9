public import OrderedJSON

/// The answer to `stats` in Prometheus's text exposition format, version 0.0.4: times in seconds,
/// sizes in bytes, counters ending in `_total`, buckets that add up
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
public enum PrometheusText {
    /// Writes the numbers of `reply`.
    ///
    /// - Parameters:
    ///   - reply: The members of an answer to `stats`. Unknown metrics are written as
    ///     `untyped`; members that aren't numbers are left out.
    ///   - server: The server's members of the greeting, as labels of `grove_info`.
    public static func render(
        _ reply: JSONObject, server: [(name: String, value: String)] = []
    ) -> String {
        var text = ""
        if !server.isEmpty {
            head("grove_info", "gauge", "The server that these numbers are of.", &text)
            text += line("grove_info", server, "1")
        }
        var numbers: [String: Int64] = [:]
        for member in reply { numbers[member.name] = member.value.integer }
        for metric in Metric.all { append(metric, numbers, &text) }
        for member in reply where MetricName(member.name) == nil {
            guard let number = member.value.integer, member.name != "id" else { continue }
            let name = "grove_" + sanitized(member.name)
            text += "# TYPE \(name) untyped\n" + line(name, [], "\(number)")
        }
        return text
    }

    private static func append(_ metric: Metric, _ numbers: [String: Int64], _ text: inout String) {
        if metric.kind == .histogram { return appendHistogram(metric, numbers, &text) }
        guard let whole = numbers[metric.name] else { return }
        head(metric.series, metric.kind.rawValue, metric.help, &text)
        guard let label = metric.label else {
            text += line(metric.series, [], decimal(whole, metric.unit))
            return
        }
        // Also values with 0, so that the first occurrence is an increase.
        for value in metric.values {
            let number = numbers["\(metric.name).\(value)"] ?? 0
            text += line(metric.series, [(label, value)], decimal(number, metric.unit))
        }
    }

    private static func appendHistogram(
        _ metric: Metric, _ numbers: [String: Int64], _ text: inout String
    ) {
        guard let count = numbers["\(metric.name).count"] else { return }
        head(metric.series, metric.kind.rawValue, metric.help, &text)
        let prefix = "\(metric.name).le_"
        let bounds = numbers.keys.filter { $0.hasPrefix(prefix) }
            .compactMap { Int64($0.dropFirst(prefix.count)) }.sorted()
        for bound in bounds {
            text += line(
                metric.series + "_bucket", [("le", decimal(bound, metric.unit))],
                "\(numbers["\(prefix)\(bound)"] ?? 0)")
        }
        text += line(metric.series + "_bucket", [("le", "+Inf")], "\(count)")
        let sum = numbers["\(metric.name).sum"] ?? 0
        text += line(metric.series + "_sum", [], decimal(sum, metric.unit))
        text += line(metric.series + "_count", [], "\(count)")
    }

    private static func head(_ name: String, _ type: String, _ help: String, _ text: inout String) {
        text += "# HELP \(name) \(escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private static func line(
        _ name: String, _ labels: [(name: String, value: String)], _ value: String
    ) -> String {
        let list = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        let braces = list.isEmpty ? "" : "{\(list.joined(separator: ","))}"
        return "\(name)\(braces) \(value)\n"
    }

    /// A number in the unit of the text, exact: 1,500 ms are `1.5`.
    static func decimal(_ number: Int64, _ unit: Metric.Unit) -> String {
        guard unit.decimals > 0 else { return "\(number)" }
        var digits = String(number.magnitude)
        let missing = unit.decimals + 1 - digits.count
        if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
        var fraction = digits.suffix(unit.decimals)
        while fraction.last == "0" { fraction.removeLast() }
        let sign = number < 0 ? "-" : ""
        return sign + digits.dropLast(unit.decimals) + (fraction.isEmpty ? "" : "." + fraction)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// A name of letters, digits and underscores.
    private static func sanitized(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}
