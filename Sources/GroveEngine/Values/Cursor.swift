/// A place in the stream of everything: behind record `index` of journal step `sequence`.
///
/// A step is shown to subscribers as several records (outputs, state, lifecycle); each has an
/// index from 0. On the wire a cursor is opaque text that also carries the log id.
public struct Cursor: Hashable, Comparable, Sendable {
    /// The journal step.
    public var sequence: JournalPosition

    /// The record within the step; `Cursor.stepEnd` stands behind all of them.
    public var index: Int32

    /// The index behind every record of a step.
    public static let stepEnd = Int32.max

    /// A place behind record `index` of step `sequence`.
    public init(sequence: JournalPosition, index: Int32 = Cursor.stepEnd) {
        self.sequence = sequence
        self.index = index
    }

    /// By step, then by index.
    public static func < (left: Cursor, right: Cursor) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
