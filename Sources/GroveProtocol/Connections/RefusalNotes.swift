/// Refusals that wait for the log: at most ``ServerLimits/refusalNotesMax``, and the number of
/// those beside them.
package struct RefusalNotes: Sendable {
    package private(set) var noted: [AccessRefusal] = []
    package private(set) var leftOut = 0

    mutating func note(_ refusal: consuming AccessRefusal) {
        if noted.count < ServerLimits.refusalNotesMax {
            noted.append(refusal)
        } else {
            leftOut += 1
        }
    }

    /// Counts refused items of a request that is noted already.
    mutating func leaveOut(_ count: Int) { leftOut += count }

    /// Those since the last call.
    package mutating func take() -> RefusalNotes {
        guard !noted.isEmpty else { return RefusalNotes() }
        defer { self = RefusalNotes() }
        return self
    }
}
