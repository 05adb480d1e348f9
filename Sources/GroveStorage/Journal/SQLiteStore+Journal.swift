import GroveEngine

extension SQLiteStore {
    /// Returns one journal step, or `nil` when it is past the head or no longer held.
    ///
    /// - Throws: `.corrupt` when its block is damaged or missing.
    public func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        guard sequence >= first, sequence <= head else { return nil }
        return try reading { (tables) throws(StoreError) in
            try block(holding: sequence, tables).record(at: sequence)
        }
    }

    /// Returns up to `limit` journal steps after `sequence`. Ends early after about `bytes` bytes,
    /// but has at least one step if there is one. Verifies the chain from block to block.
    public func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        var next = max(sequence, first - 1) + 1
        guard next <= head, limit > 0 else { return [] }
        return try reading { (tables) throws(StoreError) in
            var found: [JournalRecord] = []
            found.reserveCapacity(min(limit, 1_024))
            var room = bytes
            var previous: JournalBlock?
            repeat {
                let block = try block(holding: next, tables)
                if let previous { try block.verify(follows: previous) }
                previous = block
                while next < block.end, found.count < limit, room > 0 || found.isEmpty {
                    found.append(try block.record(at: next))
                    room -= block.steps[Int(next - block.first)].count
                    next += 1
                }
            } while next <= head && found.count < limit && room > 0
            return found
        }
    }

    private func block(
        holding sequence: JournalPosition, _ tables: Tables
    ) throws(StoreError) -> JournalBlock {
        if let block = blocks.block(holding: sequence) { return block }
        guard let block = try tables.journal.block(atOrBefore: sequence), sequence < block.end
        else { throw .corrupt("journal step \(sequence) is missing") }
        blocks.keep(block)
        return block
    }
}
