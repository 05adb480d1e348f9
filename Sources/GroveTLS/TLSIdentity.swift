/// The files by which one side proves who it is.
public struct TLSIdentity: Sendable, Equatable {
    /// The path of a PEM file with the certificate, followed by those of the authorities between it
    /// and the root, if there are any.
    public var certificate: String
    /// The path of a PEM file with the certificate's private key, without a pass phrase. A file
    /// that every user can read, or that more than its owner can write, is refused.
    public var key: String

    /// An identity in two files, which ``TLSContext`` reads once.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
