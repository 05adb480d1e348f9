extension OutboundBuffer {
    /// Bytes that a busy connection keeps allocated between two bursts.
    public static let keptBytesMax = 256 << 10
}
