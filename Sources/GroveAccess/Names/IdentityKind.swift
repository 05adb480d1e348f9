/// The kinds of identities. Those of certificates stand in the order in which they are looked up:
/// the first one that a principal has decides.
package enum IdentityKind: String, CaseIterable, Sendable {
    /// A URI among the certificate's alternative names.
    case uri = "cert:uri:"
    /// A host's name among them.
    case dns = "cert:dns:"
    /// An address of mail among them.
    case email = "cert:email:"
    /// The hash of the certificate's public key: `sha256/` and 44 letters of Base64.
    case key = "cert:spki:"
    /// The certificate's subject in the form of RFC 2253.
    case subject = "cert:subject:"
    /// A user of this machine, by the number that the kernel gives for a Unix socket.
    case user = "uid:"
    /// A group of this machine.
    case group = "gid:"
}
