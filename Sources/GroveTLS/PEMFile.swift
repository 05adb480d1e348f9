import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file of certificates or with a key, read once and whole.
struct PEMFile {
    let path: String
    private var bytes: [UInt8] = []

    /// Reads a file of at most ``bytesMax`` bytes.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isSecret: Whether it holds a key, which not every user may read.
    init(path: String, isSecret: Bool) throws(TLSContextError) {
        self.path = path
        // Opening a pipe would wait for its writer.
        let fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard fd >= 0 else { throw Self.system("can't be opened", path) }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw Self.system("can't be read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TLSContextError("is no file", file: path)
        }
        // Of what was opened, so that nobody can exchange it in between.
        if isSecret, status.st_mode & 0o027 != 0 {
            throw TLSContextError(
                "other users can read or change this key; allow it to its owner only "
                    + "(chmod 600)", file: path)
        }
        if status.st_mode & S_IWOTH != 0 {
            throw TLSContextError(
                "every user can change this file; allow it to its owner only (chmod o-w)",
                file: path)
        }
        guard status.st_size <= Self.bytesMax else {
            throw TLSContextError(
                "has more than \(Self.bytesMax) bytes, so it is no file of certificates", file: path
            )
        }
        var buffer = [UInt8](repeating: 0, count: Int(status.st_size))
        while bytes.count < status.st_size {
            let count = read(fd, &buffer, buffer.count - bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.system("can't be read", path) }
            // It became shorter meanwhile.
            if count == 0 { break }
            bytes += buffer[..<count]
        }
    }

    private static func system(_ what: String, _ path: String) -> TLSContextError {
        TLSContextError("\(what): \(String(cString: strerror(errno)))", file: path)
    }

    /// Calls `body` with the library's view of the bytes.
    private func withBIO<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        bytes.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    /// Calls `body` with each certificate, in order, at least one; at most `max` of them.
    func forEachCertificate(
        max: Int, _ body: (OpaquePointer) throws(TLSContextError) -> Void
    ) throws(TLSContextError) {
        let found = readAll(max: max) { PEM_read_bio_X509($0, nil, refusePassword, nil) }
        defer { for certificate in found.items { X509_free(certificate) } }
        try check(found, max: max, "certificates")
        for certificate in found.items { try body(certificate) }
    }

    /// Calls `body` with each list of revoked certificates, in order, at least one; at most `max`
    /// of them.
    func forEachRevocationList(
        max: Int, _ body: (OpaquePointer) throws(TLSContextError) -> Void
    ) throws(TLSContextError) {
        let found = readAll(max: max) { PEM_read_bio_X509_CRL($0, nil, refusePassword, nil) }
        defer { for list in found.items { X509_CRL_free(list) } }
        try check(found, max: max, "lists of revoked certificates")
        for list in found.items { try body(list) }
    }

    /// What a file holds, up to one more than it may, and whether nothing of it is damaged.
    private struct Found {
        var items: [OpaquePointer] = []
        var isWhole = false
    }

    private func readAll(max: Int, _ readNext: (OpaquePointer) -> OpaquePointer?) -> Found {
        var found = Found()
        let isWhole = withBIO { bio -> Bool in
            ERR_clear_error()
            while found.items.count <= max, let next = readNext(bio) { found.items.append(next) }
            // At the end, there is no further beginning of anything.
            let error = ERR_peek_last_error()
            ERR_clear_error()
            return ERR_GET_LIB(error) == ERR_LIB_PEM
                && ERR_GET_REASON(error) == PEM_R_NO_START_LINE
        }
        found.isWhole = isWhole ?? false
        return found
    }

    private func check(_ found: Found, max: Int, _ what: String) throws(TLSContextError) {
        guard !found.items.isEmpty, found.isWhole || found.items.count > max else {
            throw TLSContextError("holds no \(what) in PEM form, or a damaged one", file: path)
        }
        guard found.items.count <= max else {
            throw TLSContextError("holds more than \(max) \(what)", file: path)
        }
    }

    /// Calls `body` with the private key.
    func withKey(
        _ body: (OpaquePointer) throws(TLSContextError) -> Void
    ) throws(TLSContextError) {
        ERR_clear_error()
        let read = withBIO { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
        guard let key = read ?? nil else {
            ERR_clear_error()
            throw TLSContextError(
                "holds no private key in PEM form without a pass phrase", file: path)
        }
        defer { EVP_PKEY_free(key) }
        try body(key)
    }
}

/// Answers the library's question for a pass phrase: there is none. Without it the library would
/// ask at the terminal.
private func refusePassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isForWriting: Int32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }
