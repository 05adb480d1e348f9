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
}
