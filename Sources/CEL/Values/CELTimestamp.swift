/// A point in time: nanoseconds in UTC, from the year 1 to 9999.
public struct CELTimestamp: Hashable, Sendable {
    /// Whole seconds since the start of 1970.
    public let seconds: Int64
    /// The nanoseconds after that second: 0 to 999,999,999.
    public let nanoseconds: Int32

    /// The start of 1970.
    static let epoch = CELTimestamp(unchecked: 0, 0)

    private init(unchecked seconds: Int64, _ nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// A time.
    ///
    /// - Returns: Nil if it is outside of the years 1 to 9999, or if the nanoseconds are outside of
    ///   their range.
    public init?(seconds: Int64, nanoseconds: Int32 = 0) {
        guard CELLimits.timestampSeconds.contains(seconds), 0..<1_000_000_000 ~= nanoseconds
        else { return nil }
        self.init(unchecked: seconds, nanoseconds)
    }

    /// The time of whole milliseconds since the start of 1970; the nearest one in range for a time
    /// out of range.
    public init(milliseconds: Int64) {
        let seconds = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let isBefore = seconds.remainder < 0
        let second = seconds.quotient - (isBefore ? 1 : 0)
        let rest = seconds.remainder + (isBefore ? 1_000 : 0)
        let range = CELLimits.timestampSeconds
        self.init(
            unchecked: min(max(second, range.lowerBound), range.upperBound),
            range.contains(second) ? Int32(rest) * 1_000_000 : 0)
    }

    /// The time after a duration; nil if it is out of range.
    public func adding(_ duration: CELDuration) -> CELTimestamp? {
        var second = seconds + duration.nanoseconds / 1_000_000_000
        var rest = Int64(nanoseconds) + duration.nanoseconds % 1_000_000_000
        if rest < 0 {
            second -= 1
            rest += 1_000_000_000
        } else if rest >= 1_000_000_000 {
            second += 1
            rest -= 1_000_000_000
        }
        return CELTimestamp(seconds: second, nanoseconds: Int32(rest))
    }

    /// The time from another one to this; nil if it is too long for a duration.
    public func since(_ other: CELTimestamp) -> CELDuration? {
        var whole = seconds - other.seconds
        var rest = Int64(nanoseconds) - Int64(other.nanoseconds)
        // With one sign, the product overflows only if the sum does.
        if whole < 0, rest > 0 {
            whole += 1
            rest -= 1_000_000_000
        }
        let (product, isTooLong) = whole.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = product.addingReportingOverflow(rest)
        return isTooLong || overflow ? nil : CELDuration(nanoseconds: sum)
    }

    /// A fraction of a second as text, without zeros at its end: `.5`, or nothing for 0.
    static func fraction(_ nanoseconds: Int) -> String {
        guard nanoseconds > 0 else { return "" }
        var digits = Array("\(1_000_000_000 + nanoseconds)".utf8.dropFirst())
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return "." + String(decoding: digits, as: UTF8.self)
    }
}

extension CELTimestamp: Comparable {
    /// Whether the first is earlier.
    public static func < (one: CELTimestamp, other: CELTimestamp) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}

extension CELTimestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, such as `2009-02-13T23:31:30.5Z`.
    public var description: String {
        let time = CivilTime(seconds)
        let date = padded(time.year, 4) + "-" + padded(time.month, 2) + "-" + padded(time.day, 2)
        let clock = [time.hour, time.minute, time.second].map { padded($0, 2) }
        return date + "T" + clock.joined(separator: ":")
            + Self.fraction(Int(nanoseconds)) + "Z"
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
