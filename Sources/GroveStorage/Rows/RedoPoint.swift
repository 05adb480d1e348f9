import GroveEngine

/// A point in the journal: all rows hold all steps up to it, so that a start has to redo only those
/// after it.
struct RedoPoint: Equatable {
    /// The last step before the point; 0 before the journal's first step.
    var step: JournalPosition

    /// The bytes of steps before the point, counted as ``PendingRows/journalBytes``. Not stored.
    var byte: Int64 = 0

    /// The checksum of its row in `redo`.
    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(step, 0)
        return checksum.value
    }

    /// Whether the row should be written again, so that a start redoes fewer steps.
    func isFar(from stored: RedoPoint) -> Bool {
        step - stored.step >= StoreLimits.redoPointSteps
            || byte - stored.byte >= StoreLimits.redoPointBytes
    }
}
