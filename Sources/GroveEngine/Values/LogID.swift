/// Which log a cursor belongs to: 128 random bits, made with the data file and on every restore
/// (reliability.md, "Words").
public struct LogID: Hashable, Sendable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// The id as it stands in the keys of effects: its upper half, in hexadecimal digits.
    public var digits: String { String(high, radix: 16) }

    /// Puts an id together; the random bits come from whoever makes the file.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
