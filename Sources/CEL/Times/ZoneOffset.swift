/// The zone that a time's parts are asked for: an offset such as `+01:00`, or a zone's rules.
enum ZoneOffset {
    /// Seconds east of UTC.
    case fixed(Int)
    case rules(ZoneRules)

    /// The zone of a text: `UTC`, `-02:30`, `02:30`, or a name of the time zone database. No text
    /// is UTC.
    ///
    /// - Returns: Nil if there is no such zone.
    init?(_ text: String) {
        if text == "UTC" || text.isEmpty {
            self = .fixed(0)
        } else if let offset = Self.offset(Array(text.utf8)) {
            self = .fixed(offset)
        } else if let rules = ZoneDatabase.shared.rules(of: text) {
            self = .rules(rules)
        } else {
            return nil
        }
    }

    /// Seconds east of UTC at a time, in seconds since the start of 1970.
    func seconds(at time: Int64) -> Int {
        switch self {
        case .fixed(let offset): offset
        case .rules(let rules): rules.offset(at: time)
        }
    }

    /// Reads `[+-]hh:mm`.
    private static func offset(_ text: [UInt8]) -> Int? {
        var digits = text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isDigit) })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 & 15) } }
        guard numbers[0] < 24, numbers[1] < 60 else { return nil }
        return (numbers[0] * 60 + numbers[1]) * (isNegative ? -60 : 60)
    }
}
