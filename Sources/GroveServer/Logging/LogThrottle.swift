import Logging

/// Limits how often one kind of line is written: the first one is written at once, lines that
/// follow within a period are counted, and the count is written at its end.
struct LogThrottle {
    /// Milliseconds between two lines.
    static let periodMilliseconds: Int64 = 10_000

    private var next = Int64.min
    private(set) var suppressed = 0

    /// Whether a line may be written now; it is counted otherwise.
    ///
    /// - Parameter now: The uptime in milliseconds.
    /// - Returns: The number of lines left out since the last one; `nil` when this one is left out.
    mutating func admit(at now: Int64) -> Int? {
        guard now >= next else {
            suppressed += 1
            return nil
        }
        return restart(at: now)
    }

    /// The number of lines left out, once their period is over; `nil` for none.
    mutating func overdue(at now: Int64) -> Int? {
        suppressed > 0 && now >= next ? restart(at: now) : nil
    }

    /// Writes a warning, or counts it. It has the number of lines left out since the last one.
    mutating func warn(
        _ log: Logger, _ message: Logger.Message, at now: Int64,
        metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard let suppressed = admit(at: now) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        log.warning(message, metadata: metadata)
    }

    /// Writes the number of lines left out, once their period is over. Call it once per second.
    mutating func warnOverdue(_ log: Logger, _ message: Logger.Message, at now: Int64) {
        guard let suppressed = overdue(at: now) else { return }
        log.warning(message, metadata: ["suppressed": .stringConvertible(suppressed)])
    }

    private mutating func restart(at now: Int64) -> Int {
        next = now + Self.periodMilliseconds
        defer { suppressed = 0 }
        return suppressed
    }
}
