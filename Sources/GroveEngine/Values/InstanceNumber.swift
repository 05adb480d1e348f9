/// The number of an instance in its data file: assigned at creation, dense, never reused, even if
/// the instance is deleted and another one gets its name.
public struct InstanceNumber: Hashable, Comparable, Sendable {
    /// The number, from 1. Zero stands for no instance.
    public var value: Int64

    /// Wraps a number.
    public init(_ value: Int64) { self.value = value }

    public static func < (left: InstanceNumber, right: InstanceNumber) -> Bool {
        left.value < right.value
    }
}
