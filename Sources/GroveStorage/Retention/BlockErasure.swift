import GroveEngine

/// A block and the steps in it to erase.
struct BlockErasure {
    var block: JournalBlock
    var steps: Set<JournalPosition>
}
