extension HTTPAnswer {
    /// The pause that the server asks for (RFC 9110, section 10.2.3); `nil` for none.
    ///
    /// A date counts from the answer's `Date`, so the two clocks need not agree.
    var retryAfter: Duration? {
        guard let text = header("retry-after") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            return min(Self.retryAfterMax, .seconds(Int(text) ?? .max))
        }
        guard let wanted = Self.seconds(text), let answered = header("date").flatMap(Self.seconds),
            wanted > answered
        else { return nil }
        return min(Self.retryAfterMax, .seconds(wanted - answered))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for the two
    /// obsolete forms.
    private static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), (1970...9_999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
            .compactMap { Int($0) }
        guard clock.count == 3, (1...31).contains(day), (0...23).contains(clock[0]),
            (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        // Days of a year that begins in March, so that a leap day is its last one.
        let years = month < 2 ? year - 1 : year
        let days = (153 * ((month + 10) % 12) + 2) / 5 + day - 1
        let era = years * 365 + years / 4 - years / 100 + years / 400 + days - 719_468
        return era * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
    }
}
