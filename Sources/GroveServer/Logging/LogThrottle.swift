import Logging

/// Limits how often one kind of line is written: the first ones of a period are written at once,
/// lines that follow within it are counted, and the count is written at its end.
struct LogThrottle {
    /// Milliseconds of a period; with one line per period, those between two lines.
    static let periodMilliseconds: Int64 = 10_000

    private let linesMax: Int
    private let period: Int64
    /// The end of the period.
    private var end = Int64.min
    private var written = 0
    private(set) var suppressed = 0

    /// A limit of `linesMax` lines within each period.
    init(linesMax: Int = 1, periodMilliseconds: Int64 = Self.periodMilliseconds) {
        self.linesMax = linesMax
        period = periodMilliseconds
    }

    /// Whether a line may be written now; it is counted otherwise.
    ///
    /// - Parameter now: The uptime in milliseconds.
    /// - Returns: The number of lines left out since the last one; `nil` when this one is left out.
    mutating func admit(at now: Int64) -> Int? {
        guard now < end else { return restart(at: now) }
        guard written < linesMax else {
            suppressed += 1
            return nil
        }
        written += 1
        return takeSuppressed()
    }

    /// Counts lines that nobody has asked to write.
    mutating func leaveOut(_ count: Int) { suppressed += count }

    /// The number of lines left out, once their period is over; `nil` for none.
    mutating func overdue(at now: Int64) -> Int? {
        suppressed > 0 && now >= end ? restart(at: now) : nil
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

    /// Begins a period with one line.
    private mutating func restart(at now: Int64) -> Int {
        end = min(now, .max - period) + period
        written = 1
        return takeSuppressed()
    }

    private mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
