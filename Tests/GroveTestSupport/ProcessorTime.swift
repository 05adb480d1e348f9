#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The processor time of work on this thread, without the computer's other work.
public enum ProcessorTime {
    /// Returns the seconds of processor time that `body` takes on this thread.
    public static func of(_ body: () throws -> Void) rethrows -> Double {
        let begin = now()
        try body()
        return now() - begin
    }

    /// Returns the factor by which the time grows when the work grows by eight: 8 for linear
    /// growth, 64 for quadratic growth. Uses the smaller time of two runs for each size.
    ///
    /// - Parameters:
    ///   - count: The smaller size of the work: enough for some milliseconds.
    ///   - body: Prepares and does the work, and returns the time of its essential part.
    public static func growth(from count: Int, _ body: (Int) throws -> Double) rethrows -> Double {
        var few = Double.infinity
        var many = Double.infinity
        for _ in 0..<2 {
            few = min(few, try body(count))
            many = min(many, try body(8 * count))
        }
        return many / few
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
