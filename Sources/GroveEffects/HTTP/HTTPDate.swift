/// The dates of headers (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of a date in one of its three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, and
    /// the obsolete `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: Seconds since 1970; a year of two digits is at most 50 years after it.
    /// - Returns: `nil` for another text.
    static func seconds(_ text: String, now: Int) -> Int? {
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
    private static func fullYear(_ digits: Int, now: Int) -> Int {
        let latest = 1970 + now / 31_556_952 + 50
        return latest - (latest - digits) % 100
    }

    private static func seconds(
        day: Substring, month: Substring, year: Int?, clock: Substring
    ) -> Int? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let day = number(day), let month = months.firstIndex(of: String(month)), let year,
            (1970...9_999).contains(year), (1...31).contains(day), parts.count == 3,
            let hour = parts[0], let minute = parts[1], let second = parts[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        // Days of a year that begins in March, so that a leap day is its last one.
        let years = month < 2 ? year - 1 : year
        let days = (153 * ((month + 10) % 12) + 2) / 5 + day - 1
        let era = years * 365 + years / 4 - years / 100 + years / 400 + days - 719_468
        return era * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// Digits without a sign.
    private static func number(_ text: Substring) -> Int? {
        text.first == "-" || text.first == "+" ? nil : Int(text)
    }
}
