/// What waits for the log, of one kind: at most ``ServerLimits/logNotesMax``, and the number of
/// those beside them.
package struct LogNotes<Note: Sendable>: Sendable {
    package private(set) var noted: [Note] = []
    package private(set) var leftOut = 0

    mutating func note(_ note: consuming Note) {
        if noted.count < ServerLimits.logNotesMax {
            noted.append(note)
        } else {
            leftOut += 1
        }
    }

    /// Counts others that belong to one that was noted.
    mutating func leaveOut(_ count: Int) { leftOut += count }

    /// Those since the last call.
    package mutating func take() -> LogNotes {
        guard !noted.isEmpty else { return LogNotes() }
        defer { self = LogNotes() }
        return self
    }
}
