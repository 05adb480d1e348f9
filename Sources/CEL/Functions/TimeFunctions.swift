/// The parts of timestamps and durations.
enum TimeFunctions {
    static func call(
        _ function: BuiltIn, _ arguments: Arguments
    ) throws(EvaluationFailure) -> CELValue {
        switch (arguments.first, arguments.second) {
        case (.timestamp(let time), .null) where arguments.count == 1:
            return .int(Int64(try part(function, of: time, .fixed(0), arguments)))
        case (.timestamp(let time), .string(let name)):
            guard let zone = ZoneOffset(name) else {
                throw EvaluationFailure(
                    "there is no time zone '\(String(name.unicodeScalars.prefix(64)))'")
            }
            return .int(Int64(try part(function, of: time, zone, arguments)))
        case (.duration(let duration), .null) where arguments.count == 1:
            return .int(try part(function, of: duration, arguments))
        default: throw arguments.mismatch("\(function)")
        }
    }

    private static func part(
        _ function: BuiltIn, of time: CELTimestamp, _ zone: ZoneOffset, _ arguments: Arguments
    ) throws(EvaluationFailure) -> Int {
        if function == .milliseconds { return Int(time.nanoseconds) / 1_000_000 }
        let local = CivilTime(time.seconds + Int64(zone.seconds(at: time.seconds)))
        switch function {
        case .fullYear: return local.year
        case .month: return local.month - 1
        case .date: return local.day
        case .dayOfMonth: return local.day - 1
        case .dayOfWeek: return local.weekday
        case .dayOfYear: return local.dayOfYear
        case .hours: return local.hour
        case .minutes: return local.minute
        case .seconds: return local.second
        default: throw arguments.mismatch("\(function)")
        }
    }

    /// A duration in whole units; of milliseconds, those after the last second.
    private static func part(
        _ function: BuiltIn, of duration: CELDuration, _ arguments: Arguments
    ) throws(EvaluationFailure) -> Int64 {
        switch function {
        case .hours: return duration.nanoseconds / 3_600_000_000_000
        case .minutes: return duration.nanoseconds / 60_000_000_000
        case .seconds: return duration.nanoseconds / 1_000_000_000
        case .milliseconds: return duration.nanoseconds / 1_000_000 % 1_000
        default: throw arguments.mismatch("\(function)")
        }
    }
}
