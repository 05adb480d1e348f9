/// The reason why a connection failed.
public struct TLSFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Kind: String, Sendable, CaseIterable {
        /// The peer's first byte begins no handshake: it doesn't speak TLS.
        case notTLS = "not_tls"
        /// There is no version, cipher or group that both sides speak.
        case nothingInCommon = "nothing_in_common"
        /// The client offers only protocols that the server doesn't speak (ALPN).
        case noProtocol = "no_protocol"
        /// The peer's certificate has expired, or isn't valid yet.
        case certificateExpired = "certificate_expired"
        /// The peer's certificate has another name than the one that was asked for.
        case certificateName = "certificate_name"
        /// The peer's certificate is signed by no trusted authority.
        case certificateStranger = "certificate_stranger"
        /// The peer's certificate is for another purpose, isn't the pinned one, or has another
        /// fault.
        case certificateRefused = "certificate_refused"
        /// The peer has no certificate, and needs one.
        case certificateMissing = "certificate_missing"
        /// The peer ended the connection with an alert, such as one about this side's certificate.
        case peerAlert = "peer_alert"
        /// The peer's bytes ended without the end of TLS, so some may be missing.
        case cutOff = "cut_off"
        /// The peer sent more than ``TLSConnection/handshakeBytesMax`` bytes before the end of its
        /// handshake, or changed its keys too often.
        case tooMuch = "too_much"
        /// The peer's bytes aren't TLS, or were changed on the way.
        case invalid = "invalid"
    }

    /// The kind of reason.
    public let kind: Kind
    /// The reason for people, without secrets: what OpenSSL says of it.
    public let message: String
    /// The subject of the certificate that was refused (RFC 2253, at most 256 bytes); `nil` for
    /// other reasons.
    public let subject: String?
    /// The number of the alert that the peer sent (RFC 8446, section 6); `nil` for other reasons
    /// than `peerAlert`.
    public let alert: UInt8?

    package init(_ kind: Kind, _ message: String, subject: String? = nil, alert: UInt8? = nil) {
        self.kind = kind
        self.message = message
        self.subject = subject
        self.alert = alert
    }

    /// The message, and the subject of a refused certificate.
    public var description: String { message + (subject.map { " (\($0))" } ?? "") }
}
