/// The log that a cursor belongs to: 128 random bits, generated with the data file and at every
/// restore (reliability.md, "Words").
public struct LogID: Hashable, Sendable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// The upper half in hexadecimal digits, as in the keys of effects.
    public var digits: String { String(high, radix: 16) }

    /// Creates an id; the creator of the file provides the random bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
