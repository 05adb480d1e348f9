/// Bounds how often one kind of line is written, whoever causes it: the first one is written at
/// once, those that follow within a period are counted, and the count is written at its end.
struct LogThrottle {
    /// Milliseconds between two lines.
    static let periodMilliseconds: Int64 = 10_000

    private var next = Int64.min
    private(set) var suppressed = 0

    /// Whether a line may be written now; it is counted otherwise.
    ///
    /// - Parameter now: The uptime in milliseconds.
    /// - Returns: How many were left out since the last line; `nil` when this one is left out.
    mutating func admit(at now: Int64) -> Int? {
        guard now >= next else {
            suppressed += 1
            return nil
        }
        return take(at: now)
    }

    /// How many lines were left out, once their period is over; `nil` when there is nothing to say.
    mutating func overdue(at now: Int64) -> Int? {
        suppressed > 0 && now >= next ? take(at: now) : nil
    }

    private mutating func take(at now: Int64) -> Int {
        next = now + Self.periodMilliseconds
        defer { suppressed = 0 }
        return suppressed
    }
}
