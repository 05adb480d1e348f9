/// The number of an instance in its data file: given at creation, dense, never used again, also
/// not after the instance was deleted and created anew under the same name.
public struct InstanceNumber: Hashable, Comparable, Sendable {
    /// The number, from 1. Zero stands for no instance.
    public var value: Int64

    /// Wraps a number.
    public init(_ value: Int64) { self.value = value }

    public static func < (left: InstanceNumber, right: InstanceNumber) -> Bool {
        left.value < right.value
    }
}
