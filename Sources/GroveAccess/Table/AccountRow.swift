/// One row of the accounts in the data file, as a commit writes it. Rows replace those of the same
/// number or id.
package enum AccountRow: Sendable {
    /// A principal with its identities, grants and quotas.
    case principal(StoredPrincipal)
    /// A token; also one whose label, end or last use changed.
    case token(StoredToken)
    /// A token that was revoked, or that belonged to a revoked principal: its row is removed.
    case tokenRevoked(TokenID)
    /// A line of the audit.
    case audit(AuditEntry)
}
