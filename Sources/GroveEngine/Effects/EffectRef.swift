import Transducers

/// Names one effect of a data file. No effect gets the name of an earlier one.
public struct EffectRef: Hashable, Comparable, Sendable {
    /// The instance that the effect belongs to.
    public var instance: InstanceNumber
    /// The effect number: counted from 1 in each instance.
    public var number: Int64

    package init(instance: InstanceNumber, number: Int64) {
        self.instance = instance
        self.number = number
    }

    public static func < (left: EffectRef, right: EffectRef) -> Bool {
        (left.instance, left.number) < (right.instance, right.number)
    }

    var ledgerID: EffectRunID { EffectRunID(UInt64(number)) }
}

extension EffectRunID {
    /// The number as rows have it.
    var effectNumber: Int64 { Int64(number) }
}
