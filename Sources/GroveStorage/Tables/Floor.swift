import GroveEngine

/// The beginning of the journal and its size: the row of `floor`.
struct Floor: Equatable {
    var first: JournalPosition = 1
    /// The chain value of the block before `first`; before the journal's first block, the log's.
    var seed: UInt32
    /// The head of the journal when this was written; `bytes` counts up to here.
    var counted: JournalPosition = 0
    var bytes: Int64 = 0

    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(first, Int64(seed))
        checksum.add(counted, bytes)
        return checksum.value
    }
}

extension Floor {
    /// The floor of a journal from which nothing was removed yet.
    init(_ meta: Meta) { self.init(seed: meta.chainSeed) }
}
