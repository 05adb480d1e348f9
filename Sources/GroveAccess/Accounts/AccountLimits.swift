/// The numbers that a reader of accounts accepts.
struct AccountLimits {
    var identitiesMax: Int
    var grantsMax: Int
    var tokensMax: Int
    var quotaMax: Int64

    /// Those of a document, which are those of a server.
    static let document = AccountLimits(
        identitiesMax: Account.identitiesMax, grantsMax: Account.grantsMax,
        tokensMax: Account.tokensMax, quotaMax: Quota.valueMax)

    /// Those of a data file.
    static let stored = AccountLimits(
        identitiesMax: Account.storedFactor * Account.identitiesMax,
        grantsMax: Account.storedFactor * Account.grantsMax,
        tokensMax: Account.storedFactor * Account.tokensMax,
        quotaMax: Int64(Account.storedFactor) * Quota.valueMax)
}
