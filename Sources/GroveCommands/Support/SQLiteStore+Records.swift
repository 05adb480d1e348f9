import GroveEngine
import GroveStorage

extension SQLiteStore {
    /// Reads all steps of the journal in their order, some MiB at a time.
    ///
    /// - Parameter body: Called with each step, and with a function that gives the full name of the
    ///   parent of the step's instance: `nil` for none, and for an instance that was deleted.
    func forEachRecord(
        _ body: (JournalRecord, _ parent: () throws(StoreError) -> String?) throws(StoreError)
            -> Void
    ) throws(StoreError) {
        var position = first - 1
        while position < head {
            let records = try records(after: position, limit: 1_024, bytes: 4 << 20)
            guard let last = records.last else { break }
            for record in records {
                try body(record) { () throws(StoreError) in
                    // Only the creation counts.
                    guard record.kind == .created, let name = record.name else { return nil }
                    let stored = try instance(named: name)
                    return stored?.number == record.number ? stored?.parent?.name : nil
                }
            }
            position = last.sequence
        }
    }
}
