/// Why a token of the right form isn't right, for the log: the client doesn't learn it.
package enum TokenFlaw: String, Sendable {
    /// No token has this public part: none ever had, or it was revoked.
    case unknown = "unknown or revoked"
    /// A token has this public part, and another secret.
    case wrongSecret = "wrong secret"
    case ended
}

extension AccountsTable {
    /// Why a token isn't right, and whose it would be. One that is right by now was unknown before.
    ///
    /// The time that this takes depends on which tokens there are. So ask when the answer has left.
    package func flaw(
        of claim: DigestedToken, at milliseconds: Int64
    ) -> (flaw: TokenFlaw, principal: UInt32?) {
        guard let stored = tokens[claim.id] else { return (.unknown, nil) }
        guard claim.digest.matches(stored.digest) else { return (.wrongSecret, stored.principal) }
        return (stored.isExpired(at: milliseconds) ? .ended : .unknown, stored.principal)
    }
}
