import GroveAccess
import GroveEngine

/// Accounts on the engine's queue.
extension EngineLoop {
    /// The accounts of the data file; none once the store is closed.
    var accounts: AccountsTable { core?.engine.access.accounts ?? AccountsTable() }

    /// Notes that a token was used, with the next commit.
    func tokenUsed(_ id: TokenID, onDay day: Int64) {
        core?.engine.tokenUsed(id, onDay: day)
        if core?.engine.hasOpenBatch == true { postFlush() }
    }
}
