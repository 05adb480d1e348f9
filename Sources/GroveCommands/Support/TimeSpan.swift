import ArgumentParser

/// A length of time on the command line: `10`, `10s`, `500ms`, `2m`, `1h`; a number without a unit
/// counts seconds.
struct TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration
    let description: String

    init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)),
            number > 0, number * unit.seconds < 1e9
        else { return nil }
        duration = .milliseconds(Int64((number * unit.seconds * 1000).rounded(.up)))
        description = argument
    }

    var defaultValueDescription: String { description }

    /// A span in whole seconds, for defaults.
    init(seconds: Int) {
        duration = .seconds(seconds)
        description = "\(seconds)s"
    }
}
