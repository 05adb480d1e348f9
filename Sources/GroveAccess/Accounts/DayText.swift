/// A day of UTC as RFC 3339 text: `2026-11-21`.
package struct DayText: Hashable, Sendable, CustomStringConvertible {
    /// The text, 10 bytes.
    package let text: String

    init(checked text: String) { self.text = text }

    /// Reads a day; `nil` for another form and for a day that doesn't exist.
    package init?(_ text: String) {
        guard Self.isDay(Array(text.utf8)[...]) else { return nil }
        self.text = text
    }

    /// The text.
    package var description: String { text }

    static func isDay(_ bytes: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        let start = bytes.startIndex
        guard bytes.count == 10, bytes[start + 4] == hyphen, bytes[start + 7] == hyphen,
            let year = number(bytes[start..<start + 4]),
            let month = number(bytes[start + 5..<start + 7]),
            let day = number(bytes[start + 8..<start + 10])
        else { return false }
        return (1...12).contains(month) && (1...days(of: month, in: year)).contains(day)
    }

    /// The number of some digits; `nil` if there are other bytes.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for byte in bytes {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2:
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        default: 31
        }
    }
}
