/// A version of TLS that Grove speaks.
public enum TLSVersion: String, Sendable, CaseIterable {
    /// TLS 1.2 (RFC 5246), only with ECDHE and AES-GCM or ChaCha20-Poly1305.
    case v1_2 = "1.2"
    /// TLS 1.3 (RFC 8446).
    case v1_3 = "1.3"
}
