import GroveEngine

extension SQLiteStore {
    /// Erases steps in place, within a transaction: they keep their position and lose everything
    /// else. The links and chain values of their blocks stay.
    func erase(
        _ erasures: [BlockErasure], _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        for erasure in erasures {
            let stored = try rewrite(erasure, tables)
            next.floor.bytes += Int64(stored - erasure.block.storedBytes)
        }
    }

    /// Returns the stored bytes of the rewritten block.
    private func rewrite(
        _ erasure: BlockErasure, _ tables: Tables
    ) throws(SQLiteFailure) -> Int {
        let block = erasure.block
        var bytes: [UInt8] = []
        for (index, range) in block.steps.enumerated() {
            if erasure.steps.contains(block.first + Int64(index)) {
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
