/// The dates of headers (RFC 9110, section 5.6.7), in seconds since 1970.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(of seconds: Int64) -> [UInt8] {
        let (day, second) = CivilDate.floorDivide(seconds, 86_400)
        let date = CivilDate(daysSinceEpoch: day)
        let weekday = days[Int(CivilDate.floorDivide(day, 7).1)]
        let time = [second / 3_600, second / 60 % 60, second % 60].map(pair).joined(separator: ":")
        let text =
            "\(weekday), \(pair(date.day)) \(months[Int(date.month) - 1]) \(date.year) \(time) GMT"
        return Array(text.utf8)
    }

    private static func pair(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The time of a date in one of its three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, and the
    /// obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: The present time; a year of two digits is at most 50 years after it.
    /// - Returns: `nil` for another text.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        let words = text.split(separator: " ")
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            guard words[3].utf8.count == 4 else { return nil }
            return seconds(
                day: words[1], month: words[2], year: number(words[3]), clock: words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2].utf8.count == 2 else { return nil }
            let year = number(parts[2]).map { fullYear($0, now: now) }
            return seconds(day: parts[0], month: parts[1], year: year, clock: words[2])
        case 5:
            guard words[4].utf8.count == 4 else { return nil }
            return seconds(
                day: words[2], month: words[1], year: number(words[4]), clock: words[3])
        default: return nil
        }
    }

    /// The year of two digits that isn't more than 50 years ahead.
    private static func fullYear(_ digits: Int64, now: Int64) -> Int64 {
        let present = CivilDate(daysSinceEpoch: CivilDate.floorDivide(now, 86_400).0)
        let latest = present.year + 50
        return latest - CivilDate.floorDivide(latest - digits, 100).1
    }

    private static func seconds(
        day: Substring, month: Substring, year: Int64?, clock: Substring
    ) -> Int64? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day), let month = months.firstIndex(of: String(month)), let year,
            (1970...9_999).contains(year), (1...31).contains(day), parts.count == 3,
            let hour = parts[0], let minute = parts[1], let second = parts[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
        guard CivilDate(daysSinceEpoch: date.daysSinceEpoch) == date else { return nil }
        return date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Digits without a sign.
    private static func number(_ text: Substring) -> Int64? {
        text.first == "-" || text.first == "+" ? nil : Int64(text)
    }
}
