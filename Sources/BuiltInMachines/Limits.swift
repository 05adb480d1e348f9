extension Int {
    /// The greatest integer that every JSON reader keeps exactly: 2^53 − 1 (RFC 7493, 2.2).
    static let exactMax = (1 << 53) - 1
}
