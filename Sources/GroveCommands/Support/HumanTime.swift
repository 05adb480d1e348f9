import Glibc

/// Formats times for people: relative to now, or in the local time zone.
enum HumanTime {
    /// Milliseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds since 1970 of the server's form of a time, `2026-11-21T02:20:00.123Z`;
    /// `nil` for any other text.
    static func milliseconds(_ text: String) -> Int64? {
        let digits = Array(text.utf8)
        guard digits.count == 24, digits[23] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int32? {
            Int32(String(decoding: digits[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let milliseconds = number(20..<23)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Int64(timegm(&parts)) * 1000 + Int64(milliseconds)
    }

    /// A time relative to `now`: `in 29 min`, `3 s ago`, `now`.
    static func relative(_ time: Int64, now: Int64) -> String {
        let seconds = (Double(time - now) / 1000).rounded()
        let away = abs(seconds)
        let text =
            switch away {
            case ..<1: ""
            case ..<90: "\(Int(away)) s"
            case ..<5_400: "\(Int((away / 60).rounded())) min"
            case ..<129_600: "\(Int((away / 3_600).rounded())) h"
            default: "\(Int((away / 86_400).rounded())) days"
            }
        return text.isEmpty ? "now" : seconds > 0 ? "in \(text)" : "\(text) ago"
    }

    /// The local time of day, `12:31:05.416`, with the date if that isn't the date of `now`.
    static func local(_ time: Int64, now: Int64) -> String {
        let (parts, today) = (calendar(time), calendar(now))
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let milliseconds = Table.pad(String(String(time % 1000 + 1000).suffix(3)), 3)
        let clock =
            "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)"
        if parts.tm_year == today.tm_year, parts.tm_yday == today.tm_yday { return clock }
        let year = Int(parts.tm_year) + 1900
        return "\(year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(clock)"
    }

    /// A length of time: `4 s`, `3 h 12 min`, `2 days 3 h`.
    static func span(seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) days \(seconds / 3_600 % 24) h"
        }
    }

    private static func calendar(_ milliseconds: Int64) -> tm {
        var time = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&time, &parts)
        return parts
    }
}

extension Style {
    /// A time of the server: on a terminal relative to now.
    func due(_ text: String) -> String {
        guard isTerminal, let time = HumanTime.milliseconds(text) else { return text }
        return HumanTime.relative(time, now: HumanTime.now)
    }

    /// A time of the server: on a terminal in the local time zone.
    func clock(_ text: String) -> String {
        guard isTerminal, let time = HumanTime.milliseconds(text) else { return text }
        return HumanTime.local(time, now: HumanTime.now)
    }
}
