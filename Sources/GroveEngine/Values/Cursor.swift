/// A place in the log: after record `index` of journal step `sequence`.
///
/// Subscribers get a step as several records (outputs, state, lifecycle), with indexes from 0. On
/// the wire a cursor is opaque text that also has the log id.
public struct Cursor: Hashable, Comparable, Sendable {
    public var sequence: JournalPosition

    /// The record within the step; `Cursor.stepEnd` is after all of them.
    public var index: Int32

    /// The index after every record of a step.
    public static let stepEnd = Int32.max

    public init(sequence: JournalPosition, index: Int32 = Cursor.stepEnd) {
        self.sequence = sequence
        self.index = index
    }

    public static func < (left: Cursor, right: Cursor) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
