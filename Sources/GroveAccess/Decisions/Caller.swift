import GroveWire

/// Who sends the requests of a connection: numbers, so that every request carries them.
package struct Caller: Hashable, Sendable {
    /// The principal's number; ``StoredPrincipal/anonymousNumber`` for none.
    package var principal = StoredPrincipal.anonymousNumber
    /// What has shown that it is the principal: an identity or a token.
    package var credential = Credential.none
    /// The version of the accounts by which the request was allowed (``AccountsTable/version``).
    package var version: UInt32 = 0

    /// Somebody who hasn't said who they are.
    package init() {}

    /// A principal.
    package init(_ principal: UInt32, by credential: Credential = .none) {
        self.principal = principal
        self.credential = credential
    }

    /// The user that runs the server, and root, on a Unix socket.
    package static let owner = Caller(StoredPrincipal.ownerNumber)

    /// What has shown who somebody is, as a number that only its own text has.
    package struct Credential: Hashable, Sendable {
        private let value: UInt64

        private init(value: UInt64) { self.value = value }

        /// No token and no identity: anonymous and the owner.
        package static let none = Credential(value: 0)

        /// A token: the forty bits of its id.
        package init(_ id: TokenID) {
            value = id.text.utf8.reduce(1) { $0 << 5 | UInt64(TokenID.value(of: $1)) }
        }

        /// An identity: a hash of its text. Administrators choose the identities, so nobody makes
        /// two of one hash to outlive a revocation.
        package init(_ identity: Identity) {
            var text = identity.text
            let hash = text.withUTF8 { ByteHash.of(UnsafeRawBufferPointer($0)) }
            value = hash | 1 << 63
        }
    }
}

extension AccountsTable {
    /// Whether the caller's principal still exists and still has the token or the identity by which
    /// it was recognized. A token that has expired is still there: connections end by the clock.
    package func recognizes(_ caller: Caller) -> Bool {
        switch caller.principal {
        case StoredPrincipal.anonymousNumber, StoredPrincipal.ownerNumber: return true
        default:
            guard let principal = principals[caller.principal] else { return false }
            return principal.account.identities.contains {
                Caller.Credential($0) == caller.credential
            }
                || tokens(of: principal.number).contains {
                    Caller.Credential($0.id) == caller.credential
                }
        }
    }
}
