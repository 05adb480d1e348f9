/// A batch that takes nothing more: its writes go to a store, and it goes back to its engine with
/// the outcome.
///
/// The engine takes no requests in between. It can't be copied, and the engine consumes it: there
/// is no other way to its answers.
public struct SealedBatch: ~Copyable {
    var batch: Batch

    public var isEmpty: Bool { batch.writes.isEmpty }

    /// Commits the writes to a store that answers at once.
    ///
    /// - Throws: when it is unknown whether they are durable. The process must then end without
    ///   another answer (reliability.md, P8).
    public borrowing func commit(to store: any Store) throws(StoreError) -> CommitOutcome {
        if batch.writes.isEmpty { return .durable }
        do throws(StoreError) {
            try store.commit(batch.writes)
            return .durable
        } catch .full {
            return .full
        } catch .tooLarge(let what) {
            return .refused(what)
        } catch {
            throw error
        }
    }
}
