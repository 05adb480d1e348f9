import GroveEngine
import GroveWire
import OrderedJSON

/// Writes points in time as RFC 3339 text in UTC with milliseconds, such as
/// `2026-11-21T02:20:00.123Z`. It keeps the text of the last second, because most records of a
/// burst are of the same one.
package struct TimestampText: Sendable {
    private var second = Int64.min
    // "YYYY-MM-DDTHH:MM:SS.mmmZ", 24 bytes; milliseconds are replaced each time.
    private var text = [UInt8]("0000-00-00T00:00:00.000Z".utf8)

    package init() {}

    /// Appends the text of `time`, without quotes.
    package mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        let clamped = min(max(time.milliseconds, Self.earliest), Self.latest)
        let (whole, rest) = CivilDate.floorDivide(clamped, 1_000)
        if whole != second { setSecond(whole) }
        put(rest, digits: 3, at: 20)
        bytes.append(contentsOf: text)
    }

    /// Appends a member. `name` has the comma before it, the colon and the opening quote too.
    mutating func append(
        _ time: Timestamp, as name: StaticString, to writer: inout JSONWriter
    ) {
        writer.literal(name)
        append(time, to: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }

    package static func string(_ time: Timestamp) -> String {
        var writer = TimestampText()
        var bytes: [UInt8] = []
        writer.append(time, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    // The years 0000 to 9999: RFC 3339 has no others.
    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999

    private mutating func setSecond(_ whole: Int64) {
        second = whole
        let (days, secondOfDay) = CivilDate.floorDivide(whole, 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        put(date.year, digits: 4, at: 0)
        put(date.month, digits: 2, at: 5)
        put(date.day, digits: 2, at: 8)
        put(secondOfDay / 3_600, digits: 2, at: 11)
        put(secondOfDay / 60 % 60, digits: 2, at: 14)
        put(secondOfDay % 60, digits: 2, at: 17)
    }

    private mutating func put(_ value: Int64, digits: Int, at place: Int) {
        var value = value
        for index in stride(from: place + digits - 1, through: place, by: -1) {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
            value /= 10
        }
    }
}
