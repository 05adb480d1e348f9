extension CELTimestamp {
    /// Reads a time in the form of RFC 3339: `2009-02-13T23:31:30.5Z`, `2009-02-14T00:31:30+01:00`.
    /// Digits after the ninth of the fraction are cut off.
    ///
    /// - Returns: Nil if the text is another one, no such date exists, or it is out of range.
    public init?(_ text: String) {
        var reader = DigitReader(rest: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.skip("-"),
            let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"),
            let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2),
            1...12 ~= month, day >= 1, day <= CivilTime.days(inMonth: month, of: year),
            hour < 24, minute < 60, second < 60,
            let nanoseconds = reader.fraction(),
            let offset = reader.zone()
        else { return nil }
        let days = CivilTime.dayNumber(year: year, month: month, day: day)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
        self.init(seconds: Int64(seconds), nanoseconds: nanoseconds)
    }
}

/// Reads the parts of a time.
private struct DigitReader {
    var rest: ArraySlice<UInt8>

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    }

    /// The nanoseconds after a point; 0 without one.
    mutating func fraction() -> Int32? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        var value: Int32 = 0
        for index in 0..<9 {
            let digit = index < digits.count ? digits[digits.startIndex + index] & 15 : 0
            value = value * 10 + Int32(digit)
        }
        return value
    }

    /// The zone's offset in seconds, which ends the text.
    mutating func zone() -> Int? {
        if skip("Z") { return rest.isEmpty ? 0 : nil }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard isNegative ? skip("-") : skip("+"), let hours = number(2), skip(":"),
            let minutes = number(2), rest.isEmpty, hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -60 : 60)
    }
}
