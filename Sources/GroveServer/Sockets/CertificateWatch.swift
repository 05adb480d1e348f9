import GroveTLS

/// Decides when the log warns of a certificate, or of a list of revoked ones, that is about to end:
/// once per day, from some days before on, and at the end.
struct CertificateWatch {
    /// The time between two warnings, in milliseconds.
    static let periodMilliseconds: Int64 = 86_400_000

    /// What ends first.
    let first: (subject: String, expires: Int64)
    /// The time before the end from which the log warns, in milliseconds.
    private let warningMilliseconds: Int64
    private var next = Int64.min
    private var hasWarnedOfEnd = false

    /// Watches the certificates of a server, from 14 days before on; `nil` if there are none.
    init?(_ certificates: [TLSCertificate]) {
        guard let first = certificates.min(by: { $0.expires < $1.expires }) else { return nil }
        self.first = (first.subject, first.expires)
        warningMilliseconds = 14 * Self.periodMilliseconds
    }

    /// Watches the lists of revoked certificates, from two days before on, because they are often
    /// made for a week.
    ///
    /// - Parameter revocationsEnd: The seconds since 1970 at which the first of them ends; `nil` if
    ///   there is none, or none ends.
    init?(revocationsEnd: Int64?) {
        guard let revocationsEnd else { return nil }
        first = ("tls-client-crl", revocationsEnd)
        warningMilliseconds = 2 * Self.periodMilliseconds
    }

    /// Whether a warning is due.
    ///
    /// - Parameters:
    ///   - time: The milliseconds since 1970.
    ///   - uptime: The uptime in milliseconds.
    mutating func isDue(time: Int64, uptime: Int64) -> Bool {
        let left = first.expires * 1_000 - time
        let endsNow = left <= 0 && !hasWarnedOfEnd
        guard left <= warningMilliseconds, uptime >= next || endsNow else { return false }
        hasWarnedOfEnd = left <= 0
        next = uptime + Self.periodMilliseconds
        return true
    }
}
