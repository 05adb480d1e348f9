/// The proleptic Gregorian calendar, by Howard Hinnant's `civil_from_days` and `days_from_civil`
/// (howardhinnant.github.io/date_algorithms.html): years begin in March, so that the leap day is
/// the last of its year.
package struct CivilDate: Equatable, Sendable {
    package let year: Int64
    /// From 1 to 12.
    package let month: Int64
    /// From 1 to 31.
    package let day: Int64

    /// A date that exists.
    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date of a day number; 0 is the first of January 1970.
    package init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let (era, dayOfEra) = Self.floorDivide(shifted, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of the day; 0 is the first of January 1970.
    package var daysSinceEpoch: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.floorDivide(shifted, 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Quotient and rest of a division whose rest is never negative.
    package static func floorDivide(_ value: Int64, _ by: Int64) -> (Int64, Int64) {
        let quotient = value >= 0 ? value / by : (value - by + 1) / by
        return (quotient, value - quotient * by)
    }
}
