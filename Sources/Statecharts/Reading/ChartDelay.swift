/// Lengths of time in definitions.
package enum ChartDelay {
    /// Reads `"30s"`, `"500ms"`, `"1h30m"`, `"1.5s"`, ISO 8601 such as `"PT30S"` or `"P7D"`, or
    /// milliseconds such as `"1000"`.
    ///
    /// - Returns: Milliseconds, or nil for another text, and for more than
    ///   ``ChartLimits/delayMillisecondsMax``. Months and years have no fixed length.
    package static func milliseconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        let total: Double?
        if !rest.isEmpty, rest.allSatisfy({ Self.isDigit($0) }) {
            total = Double(text)
        } else if rest.first == UInt8(ascii: "P") {
            rest.removeFirst()
            total = iso(rest)
        } else {
            total = sum(&rest, units: units)
        }
        return total.flatMap(milliseconds)
    }

    /// A number of milliseconds from 0 to the longest delay; nil outside.
    static func milliseconds(_ value: Double) -> Int64? {
        guard value >= 0, value <= Double(ChartLimits.delayMillisecondsMax) else { return nil }
        return Int64(value.rounded())
    }

    /// Longer names first.
    private static let units: [(name: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ("w", 604_800_000),
    ]

    /// The text of a number of milliseconds: `1d2h`, `1m30s`, `1s500ms`, `0s`.
    package static func text(_ milliseconds: Int64) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units.reversed() where unit.name != "w" {
            let size = Int64(unit.milliseconds)
            if rest >= size { text += "\(rest / size)\(unit.name)" }
            rest %= size
        }
        return text.isEmpty ? "0s" : text
    }

    private static func iso(_ text: ArraySlice<UInt8>) -> Double? {
        let parts = text.split(
            separator: UInt8(ascii: "T"), maxSplits: 1, omittingEmptySubsequences: false)
        var dates = parts[0]
        var total = 0.0
        if !dates.isEmpty {
            guard let sum = sum(&dates, units: [("W", 604_800_000), ("D", 86_400_000)]) else {
                return nil
            }
            total = sum
        }
        guard parts.count == 2 else { return parts[0].isEmpty ? nil : total }
        var times = parts[1]
        guard let sum = sum(&times, units: [("H", 3_600_000), ("M", 60_000), ("S", 1_000)])
        else { return nil }
        return total + sum
    }

    /// The sum of numbers with units, at least one.
    private static func sum(
        _ rest: inout ArraySlice<UInt8>, units: [(name: String, milliseconds: Double)]
    ) -> Double? {
        var total: Double?
        while !rest.isEmpty {
            let number = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest.dropFirst(number.count)
            guard number.count <= 20, number.contains(where: { isDigit($0) }),
                number.count(where: { $0 == UInt8(ascii: ".") }) <= 1,
                let value = Double(
                    "0" + String(decoding: number, as: UTF8.self)
                        + (number.last == UInt8(ascii: ".") ? "0" : ""))
            else { return nil }
            let name = rest.prefix { !isDigit($0) && $0 != UInt8(ascii: ".") }
            rest = rest.dropFirst(name.count)
            guard let unit = units.first(where: { name.elementsEqual($0.name.utf8) }) else {
                return nil
            }
            total = (total ?? 0) + value * unit.milliseconds
        }
        return total
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
