import GroveEngine

/// The progress of the search for steps of a machine to remove. In memory only.
struct MachineSearch {
    /// The machine has no step before this one.
    var from: JournalPosition = 1
    /// The time of the newest step to remove next; `nil` before those steps were read.
    var newest: Timestamp?
    /// The number of those steps that the machine's count includes. None is removed while the
    /// machine would keep too few.
    var share: Int64 = 1
    /// The search past those steps.
    var ahead = AheadSearch()

    /// The time at which those steps were taken, at the latest; `nil` before they were read.
    var latest: Timestamp? { newest.map { ahead.latest($0, at: from) } }

    /// Begins at a later position, about whose steps nothing is known.
    mutating func advance(to position: JournalPosition) {
        self = MachineSearch(from: position, ahead: ahead)
    }
}
