import COpenSSL

/// The certificate that was refused, for the log. The library forgets it with the handshake.
final class VerificationNote {
    private(set) var subject: String?

    /// Keeps the subject when the library refuses a certificate. Accepts an authority whose own one
    /// has no list of revoked certificates: only those that sign certificates of peers need one.
    static let callback: SSL_verify_cb = { accepted, verification in
        if accepted != 1, X509_STORE_CTX_get_error_depth(verification) > 0,
            X509_STORE_CTX_get_error(verification) == X509_V_ERR_UNABLE_TO_GET_CRL
        {
            X509_STORE_CTX_set_error(verification, X509_V_OK)
            return 1
        }
        guard accepted != 1,
            let connection = X509_STORE_CTX_get_ex_data(
                verification, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let own = SSL_get_ex_data(OpaquePointer(connection), 0),
            let certificate = X509_STORE_CTX_get0_cert(verification)
        else { return accepted }
        let note = Unmanaged<VerificationNote>.fromOpaque(own).takeUnretainedValue()
        note.subject = TLSCertificate.subject(of: certificate)
        return accepted
    }

    /// Makes the note known to a connection, which it must outlive.
    func attach(to connection: OpaquePointer) -> Bool {
        SSL_set_ex_data(connection, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }
}
