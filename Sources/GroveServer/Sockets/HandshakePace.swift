/// The pace at which TLS handshakes begin. Each costs the processor a third of a millisecond before
/// anybody is known, so there are as many per second as are allowed, and at most those of a tenth
/// of a second at once. A connection whose client sends nothing isn't one of them.
struct HandshakePace {
    /// Room for handshakes, in thousandths: each millisecond adds as many as a second may have
    /// of them.
    private var room: Int64 = 0
    private var last: Int64?

    /// Whether one more may begin.
    ///
    /// - Parameters:
    ///   - uptime: The present uptime in milliseconds; it never decreases.
    ///   - perSecond: The bound, at least 1.
    mutating func hasRoom(at uptime: Int64, perSecond: Int) -> Bool {
        // Room for at least one, however few there may be.
        let most = max(Int64(perSecond) * Self.burstMilliseconds, 1_000)
        // Everything has room at the start.
        let passed = last.map { min(uptime - $0, 1_000) } ?? 1_000
        last = uptime
        room = min(room + passed * Int64(perSecond), most)
        return room >= 1_000
    }

    /// The time whose connections may come at once, in milliseconds.
    private static let burstMilliseconds: Int64 = 100

    /// One begins.
    mutating func take() { room -= 1_000 }

    /// The time after which there is room again, in milliseconds: that of one connection, but not
    /// so short that the queue wakes for each.
    static func pauseMilliseconds(perSecond: Int) -> Int { max(10, (999 + perSecond) / perSecond) }
}
