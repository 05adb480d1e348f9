/// The time between two points of the server's numbers over time, `stats` with `series`.
public enum SeriesStep: String, CaseIterable, Sendable {
    /// Each second, of the last ten minutes.
    case second = "1s"
    /// Each ten seconds, of the last two hours.
    case tenSeconds = "10s"

    /// The time in milliseconds.
    public var milliseconds: Int64 { self == .second ? 1_000 : 10_000 }
}
