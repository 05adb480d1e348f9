/// How large replies were of late: the largest one of the present window of time and of the window
/// before, so that one is remembered for one window at least and for two at most.
struct LargestReply: Sendable {
    /// What is answered while nothing larger was seen.
    private let bytesMin: Int
    /// Which window it is, counted from the beginning of the clock.
    private var window: Int64 = 0
    private var present = 0
    private var before = 0

    /// Nothing was seen yet.
    init(atLeast bytesMin: Int) { self.bytesMin = bytesMin }

    /// Bytes of the largest one.
    var bytes: Int { max(bytesMin, present, before) }

    /// Takes note of a reply.
    mutating func note(_ bytes: Int) { present = max(present, bytes) }

    /// Forgets what is two windows old.
    ///
    /// - Parameter uptime: Milliseconds of a clock that never goes back.
    mutating func advance(to uptime: Int64) {
        let now = uptime / ServerLimits.largeReplyWindowMilliseconds
        guard now > window else { return }
        before = now == window + 1 ? present : 0
        present = 0
        window = now
    }
}
