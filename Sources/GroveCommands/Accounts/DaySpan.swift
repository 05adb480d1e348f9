import ArgumentParser
import GroveAccess
import GroveClient

/// A whole number of days, hours, minutes or seconds on the command line: `90d`, `24h`, `30m`,
/// `0s`; at most a hundred years.
struct DaySpan: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        let units: [Character: Int64] = [
            "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000,
        ]
        let digits = argument.dropLast()
        guard let unit = argument.last.flatMap({ units[$0] }), !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(digits), number <= 36_525 * 86_400_000 / unit
        else { return nil }
        milliseconds = number * unit
    }
}
