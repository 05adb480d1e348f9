extension TLSConnection {
    /// Bytes of ciphertext that wait to be sent: while there are this many, ``send(_:)`` takes
    /// nothing. The last record may lie beyond it.
    public static let waitingBytesMax = 64 << 10

    /// Bytes that a peer may send before its handshake is complete. A long chain of certificates
    /// has ten thousand.
    public static let handshakeBytesMax = 64 << 10

    /// Changes of keys by the peer in the bytes of one ``receive(_:into:)``. Peers that make some
    /// make one after millions of records; a flood of them would keep a core busy.
    public static let keyChangesMax = 32

    /// Bytes of plaintext in one record (RFC 8446, section 5.1).
    public static let recordBytesMax = 16 << 10

    /// Bytes that the library gets at once: the buffer between keeps its size, and an idle
    /// connection has it.
    static let sliceBytesMax = 4 << 10

    /// Bytes for which the stack has room: a larger buffer is allocated for each read.
    static let stackBytes = 1_024
}

extension TLSContext {
    /// Certificates among which a client's wanted name chooses.
    public static let identitiesMax = 64

    /// Certificates of authorities in one file; a system's own list has 150.
    static let authoritiesMax = 1_024
}

extension TLSContextBuilder {
    /// Certificates from the own one to the root; three are usual.
    static let chainMax = 8

    /// Lists of revoked certificates in one file: one of each authority.
    static let revocationListsMax = 64
}

extension TLSCertificate {
    /// Bytes of a subject; the rest is cut. It is for people.
    static let subjectBytesMax = 256

    /// Names of one certificate that are read; more are ignored.
    static let namesMax = 64
}

extension PEMFile {
    /// Bytes of the longest file; a system's list of authorities has about 220,000.
    static let bytesMax = 1 << 20
}
