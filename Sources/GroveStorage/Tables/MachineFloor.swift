import GroveEngine

/// The oldest step held of one machine, and the count of its steps.
struct MachineFloor: Equatable {
    /// The machine's steps before this one are removed.
    var first: JournalPosition = 1
    /// `steps` and `bytes` count up to this step.
    var counted: JournalPosition = 0
    var steps: Int64 = 0
    var bytes: Int64 = 0

    func checksum(_ machine: String) -> UInt32 {
        var checksum = Checksum()
        Array(machine.utf8).withUnsafeBytes { checksum.add($0) }
        checksum.add(first, counted)
        checksum.add(steps, bytes)
        return checksum.value
    }
}
