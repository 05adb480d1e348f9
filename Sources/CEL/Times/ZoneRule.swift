/// The yearly rule at the end of a zone's file: `CST6CDT,M3.2.0,M11.1.0` (POSIX `TZ`, with hours
/// from -167 to 167 as in RFC 9636).
struct ZoneRule: Sendable {
    /// A day of the year and a time of that day.
    private struct Change {
        enum Day {
            /// Month, week (5: the last), day of the week (0: Sunday).
            case week(Int, Int, Int)
            /// 1 to 365; 29 February isn't counted.
            case julian(Int)
            /// 0 to 365; 29 February is counted.
            case zeroBased(Int)
        }
        let day: Day
        /// Seconds after midnight.
        let seconds: Int

        /// The moment in seconds since the start of 1970, by the clock before the change.
        func moment(in year: Int) -> Int {
            let start = CivilTime.dayNumber(year: year, month: 1, day: 1)
            let number: Int
            switch day {
            case .zeroBased(let day): number = start + day
            case .julian(let day):
                number = start + day - 1 + (CivilTime.isLeap(year) && day >= 60 ? 1 : 0)
            case .week(let month, let week, let weekday):
                let first = CivilTime.dayNumber(year: year, month: month, day: 1)
                let firstWeekday = CivilTime(Int64(first) * 86_400).weekday
                var day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                if day >= CivilTime.days(inMonth: month, of: year) { day -= 7 }
                number = first + day
            }
            return number * 86_400 + seconds
        }
    }

    private var standard = 0
    private var summer = 0
    private var start: Change?
    private var end: Change?

    /// Reads a rule; nil if the text is none.
    init?(_ text: ArraySlice<UInt8>) {
        var reader = Reader(rest: text)
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        summer = standard
        guard !reader.rest.isEmpty else { return }
        guard reader.name() else { return nil }
        summer = standard + 3_600
        if reader.rest.first != UInt8(ascii: ",") {
            guard let west = reader.time() else { return nil }
            summer = -west
        }
        guard reader.skip(","), let start = Self.change(&reader), reader.skip(","),
            let end = Self.change(&reader), reader.rest.isEmpty
        else { return nil }
        self.start = start
        self.end = end
    }

    /// Seconds east of UTC at a time, in seconds since the start of 1970.
    func offset(at time: Int64) -> Int {
        guard let start, let end else { return standard }
        let year = CivilTime(time + Int64(standard)).year
        let begins = Int64(start.moment(in: year) - standard)
        let ends = Int64(end.moment(in: year) - summer)
        let isSummer =
            begins < ends ? begins <= time && time < ends : !(ends <= time && time < begins)
        return isSummer ? summer : standard
    }

    private static func change(_ reader: inout Reader) -> Change? {
        let day: Change.Day
        if reader.skip("M") {
            guard let month = reader.number(), reader.skip("."), let week = reader.number(),
                reader.skip("."), let weekday = reader.number(),
                1...12 ~= month, 1...5 ~= week, 0...6 ~= weekday
            else { return nil }
            day = .week(month, week, weekday)
        } else if reader.skip("J") {
            guard let number = reader.number(), 1...365 ~= number else { return nil }
            day = .julian(number)
        } else {
            guard let number = reader.number(), 0...365 ~= number else { return nil }
            day = .zeroBased(number)
        }
        guard reader.skip("/") else { return Change(day: day, seconds: 7_200) }
        return reader.time().map { Change(day: day, seconds: $0) }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: mark) else { return false }
            rest.removeFirst()
            return true
        }

        /// A zone's abbreviation: letters, or anything between `<` and `>`.
        mutating func name() -> Bool {
            if skip("<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[(end + 1)...]
                return true
            }
            let letters = rest.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
            rest = rest.dropFirst(letters.count)
            return !letters.isEmpty
        }

        mutating func number() -> Int? {
            let digits = rest.prefix(while: \.isDigit)
            guard 1...3 ~= digits.count else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
        }

        /// `[+-]h[:m[:s]]` in seconds.
        mutating func time() -> Int? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number() else { return nil }
            var seconds = hours * 3_600
            if skip(":") {
                guard let minutes = number() else { return nil }
                seconds += minutes * 60
                if skip(":") {
                    guard let rest = number() else { return nil }
                    seconds += rest
                }
            }
            return isNegative ? -seconds : seconds
        }
    }
}
