/// A point in time as RFC 3339 text in UTC with milliseconds: `2026-11-21T02:20:00.123Z`. Earlier
/// times have lesser texts.
package struct InstantText: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text, 24 bytes.
    package let text: String

    init(checked text: String) { self.text = text }

    /// Reads a time; without its milliseconds it is that of a whole second. `nil` for another form
    /// and for a day or time that doesn't exist. A leap second doesn't.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 || bytes.count == 24, bytes.last == UInt8(ascii: "Z"),
            DayText.isDay(bytes[..<10]), bytes[10] == UInt8(ascii: "T"),
            let hour = DayText.number(bytes[11..<13]), hour < 24, bytes[13] == UInt8(ascii: ":"),
            let minute = DayText.number(bytes[14..<16]), minute < 60,
            bytes[16] == UInt8(ascii: ":"),
            let second = DayText.number(bytes[17..<19]), second < 60
        else { return nil }
        if bytes.count == 20 {
            self.text = String(decoding: bytes.dropLast(), as: UTF8.self) + ".000Z"
        } else {
            guard bytes[19] == UInt8(ascii: "."), DayText.number(bytes[20..<23]) != nil else {
                return nil
            }
            self.text = text
        }
    }

    /// The text.
    package var description: String { text }

    /// Earlier is less.
    package static func < (left: InstantText, right: InstantText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
