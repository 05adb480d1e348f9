/// A change of accounts, as a client of the wire or the command line beside a stopped server asks
/// for it. ``AccountsTable/carryOut(_:as:at:)`` has the rules of both.
package enum AccountsCommand: Sendable {
    /// Adds to a principal and takes from it.
    case change(PrincipalEdit)
    /// Revokes a principal with all its tokens.
    case revoke(PrincipalName)
    /// Makes the accounts those of a document: all or nothing. Principals that it doesn't have are
    /// revoked.
    case apply(AccountsDocument)
    /// Makes a token.
    case createToken(TokenWish, DigestedToken)
    /// Makes a token of the same principal and label, and lets the former one end after the overlap
    /// of some milliseconds.
    case rotateToken(TokenID, overlap: Int64, TokenEnd, DigestedToken)
    /// Revokes a token.
    case revokeToken(TokenID)
}

/// What a principal gets and loses. What is there already isn't added, and what isn't there isn't
/// taken away: a repeat changes nothing.
package struct PrincipalEdit: Sendable {
    package var principal: PrincipalName
    /// Whether a principal of this name must not exist.
    package var isNew = false
    package var addedIdentities: [Identity] = []
    package var addedGrants: [Grant] = []
    package var removedIdentities: [Identity] = []
    package var removedGrants: [Grant] = []
    /// Quotas to set; `nil` for the standard one.
    package var quotas: [Quota: Int64?] = [:]

    /// An edit that creates the principal if it is missing, and changes nothing else.
    package init(_ principal: PrincipalName) { self.principal = principal }
}

/// The token that somebody wants.
package struct TokenWish: Sendable {
    package var principal: PrincipalName
    package var label = ""
    package var end = TokenEnd.standard
    /// Grants for the principal, which is created if it is missing. Without any it must exist.
    package var grants: [Grant] = []

    /// A wish for a token that ends at the standard time.
    package init(_ principal: PrincipalName) { self.principal = principal }
}

/// The end of a token.
package enum TokenEnd: Sendable {
    /// After ``TokenEnd/standardMilliseconds``.
    case standard
    case never
    /// At a time, in milliseconds since 1970.
    case at(Int64)
}

/// What is stored of a token that was just made. Its text is with the one who made it, and shown
/// once.
package struct DigestedToken: Sendable {
    package let id: TokenID
    package let digest: TokenDigest

    /// The part of a token that is stored.
    package init(_ token: borrowing BearerToken) {
        id = token.id
        digest = TokenDigest(of: token)
    }
}

/// Who changes accounts, and how.
package struct AccountsCaller: Sendable {
    /// The name for the audit.
    package var name: String
    /// The address for the audit; `unix`, or `data` for the command line beside a stopped server.
    package var from: String
    /// Whether it is the owner, who gets in whatever the accounts are.
    package var isOwner: Bool
    /// Whether the last administrator may be taken away.
    package var force = false
    /// Whether the difference is only computed.
    package var isTrial = false

    /// A caller.
    package init(name: String, from: String, isOwner: Bool) {
        self.name = name
        self.from = from
        self.isOwner = isOwner
    }

    /// The command line beside a stopped server.
    package static let offline = AccountsCaller(
        name: PrincipalName.owner.text, from: "data", isOwner: true)
}

/// What a command has changed.
package struct AccountsOutcome: Sendable {
    /// The rows to write, with that of the audit; empty if nothing differs, and after a trial.
    package var rows: [AccountRow] = []
    /// The differences, one line each for people; the same that the audit has.
    package var lines: [String] = []
    /// The token that was made.
    package var token: StoredToken?
}

/// The reason why a command is refused. Nothing has changed then.
package enum AccountsRefusal: Error, Hashable, Sendable {
    /// Something of the request doesn't fit: its JSON path, and one sentence.
    case badRequest(path: String, message: String)
    /// There is a principal of this name.
    case alreadyExists(PrincipalName)
    /// A bound is reached.
    case limit(String)
    /// The problems of a document.
    case problems(AccountsProblems)

    /// One sentence.
    package var message: String {
        switch self {
        case .badRequest(_, let message), .limit(let message): message
        case .alreadyExists(let name): "there is a principal \(name) already"
        case .problems(let problems): problems.description
        }
    }
}
