/// The number of one run of an effect, unique within its machine. A result counts only as long
/// as its run is current.
public struct EffectRunID: Hashable, Sendable, Comparable {
    /// Counted from 1; 0 is no effect's.
    public let number: UInt64

    /// The run with a number.
    public init(_ number: UInt64) { self.number = number }

    /// Earlier runs come first.
    public static func < (left: EffectRunID, right: EffectRunID) -> Bool {
        left.number < right.number
    }
}
