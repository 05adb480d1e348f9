import GroveClient

/// Where accounts are: on a server, or in the data file of one that is stopped. Both give the same
/// answers, in the form of the wire.
protocol AccountsPlace {
    /// All principals, by name.
    func accounts() async throws -> [PrincipalSummary]
    func change(_ change: PrincipalChange, _ mode: AccountsMode) async throws -> AccountsReply
    func revoke(_ principal: String, _ mode: AccountsMode) async throws -> AccountsReply
    /// Makes the accounts those of a document, which was read without problems.
    func apply(_ document: [UInt8], _ mode: AccountsMode) async throws -> AccountsReply
    func createToken(_ order: TokenOrder) async throws -> NewToken
    func rotateToken(
        _ id: String, overlap: Duration?, expires: TokenExpiry
    ) async throws -> NewToken
    /// Revokes a token; without an id, all of them.
    func revokeToken(_ id: String?, force: Bool) async throws -> AccountsReply
    func audit(after number: Int64?, limit: Int) async throws -> Page<AuditItem, Int64>
}
