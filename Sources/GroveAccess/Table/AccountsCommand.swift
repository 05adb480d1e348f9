/// A change of accounts, as a client of the wire or the command line beside a stopped server asks
/// for it. ``AccountsTable/carryOut(_:as:at:)`` has the rules of both.
package enum AccountsCommand: Sendable {
    /// Adds to a principal and takes from it.
    case change(PrincipalEdit)
    /// Revokes a principal with all its tokens.
    case revoke(PrincipalName)
    /// Makes the accounts those of a document: all or nothing. Principals that it doesn't have are
    /// revoked.
    case apply(AccountsDocument)
    /// Makes a token.
    case createToken(TokenWish, DigestedToken)
    /// Makes a token of the same principal and label, and lets the former one end after the overlap
    /// of some milliseconds.
    case rotateToken(TokenID, overlap: Int64, TokenEnd, DigestedToken)
    /// Revokes a token.
    case revokeToken(TokenID)
    /// Revokes all tokens of all principals, as after a backup was restored.
    case revokeAllTokens
}
