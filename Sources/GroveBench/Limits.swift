extension BenchConnection {
    /// Bytes of unread replies that a connection has room for, and so of the longest line.
    static let inputBytesMax = 1 << 18
}

extension LatencyHistogram {
    /// The longest latency that has a bucket, in nanoseconds: ten minutes.
    static let valueMax: UInt64 = 600_000_000_000
}
