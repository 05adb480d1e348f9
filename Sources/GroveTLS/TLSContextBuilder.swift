import COpenSSL

/// The contexts of the library while a ``TLSContext`` is built; frees them if it isn't finished.
struct TLSContextBuilder: ~Copyable {
    private let role: TLSRole
    private let versionMin: TLSVersion
    private var contexts: [OpaquePointer]
    private(set) var certificates: [TLSCertificate] = []
    /// The seconds since 1970 at which the first list of revoked certificates ends.
    private(set) var revocationsEnd: Int64?

    init(_ role: TLSRole, _ versionMin: TLSVersion) throws(TLSContextError) {
        self.role = role
        self.versionMin = versionMin
        contexts = []
        try addContext()
    }

    deinit { for context in contexts { SSL_CTX_free(context) } }

    private mutating func addContext() throws(TLSContextError) {
        let method = role == .server ? TLS_server_method() : TLS_client_method()
        let version = versionMin == .v1_2 ? TLS1_2_VERSION : TLS1_3_VERSION
        guard let context = SSL_CTX_new(method) else {
            throw TLSContextError("OpenSSL makes no context: \(LibraryError.take().text)")
        }
        contexts.append(context)
        guard grove_tls_harden(context, version) == 1,
            SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1,
            // The first one, which a quantum computer doesn't break either, is in newer libraries.
            grove_tls_groups(context, "X25519MLKEM768:X25519:P-256:P-384") == 1
                || grove_tls_groups(context, "X25519:P-256:P-384") == 1
        else {
            throw TLSContextError(
                "OpenSSL lacks what Grove needs: \(LibraryError.take().text)")
        }
        ERR_clear_error()
    }

    /// Adds a certificate with its key; the first one belongs to the first context.
    mutating func add(_ identity: TLSIdentity) throws(TLSContextError) {
        if !certificates.isEmpty { try addContext() }
        let context = contexts[contexts.count - 1]
        var own: TLSCertificate?
        let file = try PEMFile(path: identity.certificate, isSecret: false)
        try file.forEachCertificate(max: Self.chainMax) { certificate throws(TLSContextError) in
            guard own == nil else {
                guard grove_tls_add_chain(context, certificate) == 1 else {
                    throw file.refused()
                }
                return
            }
            own = TLSCertificate(certificate)
            guard own != nil, SSL_CTX_use_certificate(context, certificate) == 1 else {
                throw file.refused()
            }
        }
        try PEMFile(path: identity.key, isSecret: true).withKey { key throws(TLSContextError) in
            guard SSL_CTX_use_PrivateKey(context, key) == 1,
                SSL_CTX_check_private_key(context) == 1
            else {
                ERR_clear_error()
                throw TLSContextError(
                    "isn't the key of the certificate \(identity.certificate)",
                    file: identity.key)
            }
        }
        if let own { certificates.append(own) }
    }

    /// Trusts the authorities of a file. A server also `announces` their names, so that clients
    /// can choose among their certificates.
    func trust(file path: String, announces: Bool) throws(TLSContextError) {
        let file = try PEMFile(path: path, isSecret: false)
        for context in contexts {
            let store = SSL_CTX_get_cert_store(context)
            try file.forEachCertificate(max: TLSContext.authoritiesMax) {
                certificate throws(TLSContextError) in
                guard X509_STORE_add_cert(store, certificate) == 1,
                    !announces || SSL_CTX_add_client_CA(context, certificate) == 1
                else { throw file.refused() }
            }
        }
    }

    /// Refuses the certificates in the lists of a file, those whose authority is in one, and those
    /// whose authority has none there.
    ///
    /// - Parameter authorities: The file of the authorities. One of them has signed each list.
    /// - Throws: ``TLSContextError`` for a list that doesn't count now, and for one with changes
    ///   only (RFC 5280, section 5.2.4), which the library would pass over.
    mutating func revoke(
        file path: String, of authorities: String
    ) throws(TLSContextError) {
        let file = try PEMFile(path: path, isSecret: false)
        let trusted = try PEMFile(path: authorities, isSecret: false)
        var firstEnd: Int64?
        for context in contexts {
            let store = SSL_CTX_get_cert_store(context)
            try file.forEachRevocationList(max: Self.revocationListsMax) {
                list throws(TLSContextError) in
                guard X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) < 0 else {
                    throw TLSContextError(
                        "holds a delta list, which has only what changed since another one: put "
                            + "whole lists in it", file: path)
                }
                if let begin = X509_CRL_get0_lastUpdate(list), X509_cmp_current_time(begin) > 0 {
                    throw TLSContextError(
                        "counts only from a later time on: look at this machine's clock",
                        file: path)
                }
                guard try trusted.hasSigner(of: list) else {
                    throw TLSContextError(
                        "isn't signed by an authority in \(authorities)", file: path)
                }
                let end = X509_CRL_get0_nextUpdate(list)
                if let seconds = TLSCertificate.seconds(end) {
                    firstEnd = min(firstEnd ?? seconds, seconds)
                }
                if let end, X509_cmp_current_time(end) < 0 {
                    throw TLSContextError(
                        "is past its date, so that every client would be refused: put a new list "
                            + "in its place", file: path)
                }
                guard X509_STORE_add_crl(store, list) == 1 else { throw file.refused() }
            }
            // Without the second flag, only the peer's own certificate is looked for.
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
        }
        revocationsEnd = firstEnd
    }

    /// Trusts what the system trusts.
    func trustSystem() throws(TLSContextError) {
        for context in contexts where SSL_CTX_set_default_verify_paths(context) != 1 {
            throw TLSContextError(
                "the system's authorities can't be read: \(LibraryError.take().text)")
        }
    }

    /// Sets whether peers show certificates (`SSL_VERIFY_PEER`, …).
    func verifyPeers(_ mode: Int32) {
        for context in contexts { SSL_CTX_set_verify(context, mode, VerificationNote.callback) }
    }

    /// Hands the contexts over.
    mutating func takeContexts() -> [OpaquePointer] {
        var taken: [OpaquePointer] = []
        swap(&taken, &contexts)
        return taken
    }
}

extension PEMFile {
    /// Whether one of the certificates has signed a list of revoked ones.
    fileprivate func hasSigner(of list: OpaquePointer) throws(TLSContextError) -> Bool {
        var isSigned = false
        try forEachCertificate(max: TLSContext.authoritiesMax) {
            certificate throws(TLSContextError) in
            let isNamed =
                X509_NAME_cmp(
                    X509_CRL_get_issuer(list), X509_get_subject_name(certificate)) == 0
            if isNamed, X509_CRL_verify(list, X509_get0_pubkey(certificate)) == 1 {
                isSigned = true
            }
        }
        ERR_clear_error()
        return isSigned
    }

    /// The error of a certificate that the library doesn't take: mostly a key that is too short.
    fileprivate func refused() -> TLSContextError {
        TLSContextError("OpenSSL refuses a certificate: \(LibraryError.take().text)", file: path)
    }
}
