/// A time on a clock and in the Gregorian calendar, without a zone.
struct CivilTime: Equatable {
    /// Days since the start of 1970.
    let dayNumber: Int
    let year: Int
    /// 1 to 12.
    let month: Int
    /// 1 to 31.
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// The time a number of seconds after the start of 1970; negative is before.
    init(_ seconds: Int64) {
        let seconds = Int(seconds)
        dayNumber = seconds.flooredQuotient(by: 86_400)
        let rest = seconds - dayNumber * 86_400
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        // Days since 0000-03-01, in eras of 400 years: years begin in March, so that the leap day
        // is a year's last (Hinnant, chrono-compatible low-level date algorithms).
        let shifted = dayNumber + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from the start of 1970 to a date.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day of the week, 0 for Sunday.
    var weekday: Int { (dayNumber + 4) - (dayNumber + 4).flooredQuotient(by: 7) * 7 }

    /// The day of the year, counted from 0.
    var dayOfYear: Int { dayNumber - Self.dayNumber(year: year, month: 1, day: 1) }
}

extension Int {
    /// The quotient, rounded down also for negative numbers.
    func flooredQuotient(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
