import GroveTLS

/// Decides when the log warns of a certificate that is about to end: once per day, from 14 days
/// before on.
struct CertificateWatch {
    /// The time before the end from which the log warns, in milliseconds.
    static let warningMilliseconds: Int64 = 14 * 86_400_000
    /// The time between two warnings, in milliseconds.
    static let periodMilliseconds: Int64 = 86_400_000

    /// The certificate that ends first.
    let first: TLSCertificate
    private var next = Int64.min

    /// Watches the certificates of a server; `nil` if there are none.
    init?(_ certificates: [TLSCertificate]) {
        guard let first = certificates.min(by: { $0.expires < $1.expires }) else { return nil }
        self.first = first
    }

    /// Whether a warning is due.
    ///
    /// - Parameters:
    ///   - time: The milliseconds since 1970.
    ///   - uptime: The uptime in milliseconds.
    mutating func isDue(time: Int64, uptime: Int64) -> Bool {
        guard first.expires * 1_000 - time <= Self.warningMilliseconds, uptime >= next else {
            return false
        }
        next = uptime + Self.periodMilliseconds
        return true
    }
}
