extension FunctionTable {
    /// Functions of timestamps, durations and optional values.
    static let times: (globals: [Row], members: [Row]) = (
        globals: [
            row(
                "timestamp", .toTimestamp, ([.timestamp], .timestamp), ([.string], .timestamp),
                ([.int], .timestamp)),
            row("duration", .toDuration, ([.duration], .duration), ([.string], .duration)),
        ],
        members: [
            part("getFullYear", .fullYear), part("getMonth", .month), part("getDate", .date),
            part("getDayOfMonth", .dayOfMonth), part("getDayOfWeek", .dayOfWeek),
            part("getDayOfYear", .dayOfYear), part("getHours", .hours, ofDurations: true),
            part("getMinutes", .minutes, ofDurations: true),
            part("getSeconds", .seconds, ofDurations: true),
            part("getMilliseconds", .milliseconds, ofDurations: true),
        ]
    )

    /// A part of a time, in UTC or in a zone.
    private static func part(
        _ name: String, _ function: BuiltIn, ofDurations: Bool = false
    ) -> Row {
        var overloads = [
            Overload([.timestamp], .int), Overload([.timestamp, .string], .int),
        ]
        if ofDurations { overloads.append(Overload([.duration], .int)) }
        return (name, function, overloads)
    }
}
