import CSQLite
import GroveEngine

/// A block with the steps in it that are to be erased.
struct BlockErasure {
    var block: JournalBlock
    var steps: Set<JournalPosition>
}

extension SQLiteStore {
    /// Erases steps where they stand, within a transaction: they keep their place and lose
    /// everything else. The blocks' links and chain values stay.
    func perform(
        _ erasures: [BlockErasure], _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        for erasure in erasures {
            let stored = try rewrite(erasure, tables)
            next.floor.bytes += Int64(stored - erasure.block.storedBytes)
        }
    }

    /// Answers how many bytes the block has then.
    private func rewrite(
        _ erasure: BlockErasure, _ tables: Tables
    ) throws(SQLiteFailure) -> Int {
        let block = erasure.block
        var bytes: [UInt8] = []
        for (place, range) in block.steps.enumerated() {
            if erasure.steps.contains(block.first + Int64(place)) {
                ByteCoding.append([JournalRecord.Kind.erased.rawValue], to: &bytes)
            } else {
                ByteCoding.append(block.bytes[range], to: &bytes)
            }
        }
        let deflate = deflate
        let compressionMin = options.compressionBytesMin
        return try bytes.withUnsafeBufferPointer { (buffer) throws(SQLiteFailure) in
            let plain = UnsafeRawBufferPointer(buffer)
            let small = plain.count < compressionMin ? nil : deflate.compress(plain)
            try tables.journal.rewrite(
                block, stored: small ?? plain, size: small == nil ? 0 : Int64(plain.count))
            return (small ?? plain).count
        }
    }
}
