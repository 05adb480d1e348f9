import GroveWire

extension InstantText {
    /// The text of a time in milliseconds since 1970, of the years 0000 to 9999; others are those
    /// years' first and last moments.
    package init(milliseconds: Int64) {
        let clamped = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let (days, rest) = CivilDate.floorDivide(clamped, 86_400_000)
        func digits(_ value: Int64, _ count: Int) -> String { DayText.digits(value, count) }
        let time =
            digits(rest / 3_600_000, 2) + ":" + digits(rest / 60_000 % 60, 2) + ":"
            + digits(rest / 1_000 % 60, 2) + "." + digits(rest % 1_000, 3)
        self.init(checked: DayText(daysSinceEpoch: days).text + "T" + time + "Z")
    }

    /// The milliseconds since 1970.
    package var milliseconds: Int64 {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64 {
            guard let number = DayText.number(bytes[range]) else {
                preconditionFailure("an instant's text was checked")
            }
            return Int64(number)
        }
        let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let seconds = (number(11..<13) * 60 + number(14..<16)) * 60 + number(17..<19)
        return date.daysSinceEpoch * 86_400_000 + seconds * 1_000 + number(20..<23)
    }
}

extension DayText {
    /// The text of a day, in days since 1970, of the years 0000 to 9999.
    package init(daysSinceEpoch days: Int64) {
        let date = CivilDate(daysSinceEpoch: min(max(days, -719_528), 2_932_896))
        self.init(
            checked: Self.digits(date.year, 4) + "-" + Self.digits(date.month, 2) + "-"
                + Self.digits(date.day, 2))
    }

    static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
