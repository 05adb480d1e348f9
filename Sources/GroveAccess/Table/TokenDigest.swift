import COpenSSL

/// The SHA-256 of a whole token's text: all that is stored of its secret.
///
/// A slow hash would protect nothing, because there is nothing to guess in 256 random bits, and it
/// would be a lever for floods.
package struct TokenDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    /// The digest of a token.
    package init(of token: borrowing BearerToken) {
        bytes = token.withBytes { SHA256.digest(of: $0) }
    }

    /// A digest that was stored; `nil` for another number of bytes than 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.bytesCount else { return nil }
        self.bytes = bytes
    }

    /// Whether two are the same, in a time that doesn't depend on their bytes.
    package func matches(_ other: TokenDigest) -> Bool {
        CRYPTO_memcmp(bytes, other.bytes, SHA256.bytesCount) == 0
    }
}
