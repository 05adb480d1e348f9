/// A principal as the server keeps it. Its row is never removed, because steps of the journal hold
/// its number.
package struct StoredPrincipal: Hashable, Sendable {
    /// From ``StoredPrincipal/firstNumber``, in the order of creation, never used again.
    package let number: UInt32
    /// Identities, grants and quotas, without tokens. Empty once it is revoked.
    package var account: Account
    /// Whether it was revoked: then its name may belong to another one.
    package var isRevoked = false

    /// The number for a caller without a principal.
    package static let anonymousNumber: UInt32 = 0
    /// The number of the owner: the user that runs the server, and root.
    package static let ownerNumber: UInt32 = 1
    /// The first number of a principal.
    package static let firstNumber: UInt32 = 2

    /// A principal's row.
    package init(number: UInt32, account: Account, isRevoked: Bool = false) {
        self.number = number
        self.account = account
        self.isRevoked = isRevoked
    }

    /// Its name.
    package var name: PrincipalName { account.name }
}
