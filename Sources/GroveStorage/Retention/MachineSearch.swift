import GroveEngine

/// The progress of the search for steps of a machine to remove. In memory only.
struct MachineSearch {
    /// The machine has no step before this one.
    var from: JournalPosition = 1
    /// The time of the newest of the steps that go next; `nil` before they were read.
    var newest: Timestamp?
    /// How many of those steps are counted. None of them goes while the machine would keep too few.
    var share: Int64 = 1
}
