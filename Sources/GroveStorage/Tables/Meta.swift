import GroveEngine

/// The facts about the file, in the one row of `meta`.
struct Meta: Equatable {
    var logID: LogID
    /// The time the file was created, milliseconds since 1970.
    var created: Int64
    /// The highest instance number ever assigned, even if its instance is deleted.
    var lastNumber: Int64 = 0
    /// The number of instances. Stored, because counting would read all of them.
    var instances: Int64 = 0
    /// The number of rows of effects, stored for the same reason.
    var effects: Int64 = 0
    /// The head of the journal when this was written: at open, at close, before a checkpoint, and
    /// with other changes. A journal that ends earlier has lost its end. One that ends elsewhere
    /// after a clean close is damaged.
    var head: JournalPosition = 0
    /// Whether a server has the file open, or ended without closing it.
    var isInUse = false
    /// Whether the file is a copy that no server has opened yet. The first server that opens it
    /// gives it another id. Never together with `isInUse`.
    var isCopy = false

    /// Both flags as the column `in_use` stores them.
    private var use: Int64 { isInUse ? 1 : isCopy ? 2 : 0 }

    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: logID.high), Int64(bitPattern: logID.low))
        checksum.add(created, lastNumber)
        checksum.add(instances, effects)
        checksum.add(head, use)
        return checksum.value
    }

    /// The chain value before the first block, so that blocks of another file don't fit.
    var chainSeed: UInt32 { logID.checksum }

    /// The columns of the row, in their order.
    var columns: [Int64] {
        [
            Int64(bitPattern: logID.high), Int64(bitPattern: logID.low), created, lastNumber,
            instances, effects, head, use, Int64(checksum),
        ]
    }
}
