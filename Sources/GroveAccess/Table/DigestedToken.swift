/// What is stored of a token that was just made. Its text is with the one who made it, and shown
/// once.
package struct DigestedToken: Sendable {
    package let id: TokenID
    package let digest: TokenDigest

    /// The part of a token that is stored.
    package init(_ token: borrowing BearerToken) {
        id = token.id
        digest = TokenDigest(of: token)
    }
}
