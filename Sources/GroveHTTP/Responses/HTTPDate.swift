import GroveWire

/// The form of dates in the field `Date` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time in seconds since 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(of seconds: Int64) -> [UInt8] {
        let (day, second) = CivilDate.floorDivide(seconds, 86_400)
        let date = CivilDate(daysSinceEpoch: day)
        let weekday = days[Int(CivilDate.floorDivide(day, 7).1)]
        let time = [second / 3_600, second / 60 % 60, second % 60].map(pair).joined(separator: ":")
        let text =
            "\(weekday), \(pair(date.day)) \(months[Int(date.month) - 1]) \(date.year) \(time) GMT"
        return Array(text.utf8)
    }

    private static func pair(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
