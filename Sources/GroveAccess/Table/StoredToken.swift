/// A token as the server keeps it: whose it is and how long it holds, and of its secret the digest
/// only.
package struct StoredToken: Sendable {
    /// Its public part.
    package let id: TokenID
    /// The digest of the whole token.
    package let digest: TokenDigest
    /// The number of its principal.
    package let principal: UInt32
    /// What it is for, in words; may be empty.
    package var label: String
    /// When it was made, in milliseconds since 1970.
    package let made: Int64
    /// When it ends, in milliseconds since 1970; `nil` for never.
    package var expires: Int64?
    /// The last day on which it was used, in days since 1970; `nil` before that.
    package var lastUsed: Int64?

    /// A token's row.
    package init(
        _ id: TokenID, _ digest: TokenDigest, of principal: UInt32, label: String = "", made: Int64,
        expires: Int64? = nil, lastUsed: Int64? = nil
    ) {
        self.id = id
        self.digest = digest
        self.principal = principal
        self.label = label
        self.made = made
        self.expires = expires
        self.lastUsed = lastUsed
    }

    /// Whether it has ended.
    package func isExpired(at milliseconds: Int64) -> Bool {
        expires.map { milliseconds >= $0 } ?? false
    }

    /// What a document says of it.
    package var note: TokenNote {
        TokenNote(
            id, label: label, made: InstantText(milliseconds: made),
            expires: expires.map { InstantText(milliseconds: $0) },
            lastUsed: lastUsed.map { DayText(daysSinceEpoch: $0) })
    }
}
