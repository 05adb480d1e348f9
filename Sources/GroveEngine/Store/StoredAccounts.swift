import GroveAccess

/// What a store holds of accounts: the rows of all principals and tokens, and the last entry of the
/// audit. Empty for a server without accounts.
public struct StoredAccounts: Sendable {
    package var rows: [AccountRow]

    /// The rows of a store.
    package init(_ rows: [AccountRow] = []) { self.rows = rows }
}
