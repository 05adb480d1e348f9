import COpenSSL

/// The library of the system that TLS needs.
public enum TLSLibrary {
    /// The version of OpenSSL that the process uses, which may be newer than that of its build.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
