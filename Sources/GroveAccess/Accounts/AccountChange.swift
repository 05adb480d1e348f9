/// One difference between two documents.
package enum AccountChange: Hashable, Sendable {
    /// A principal that wasn't there; its parts follow as changes of their own.
    case addPrincipal(PrincipalName)
    /// A principal that is no longer there, with all that belonged to it.
    case removePrincipal(Account)
    case addIdentity(PrincipalName, Identity)
    case removeIdentity(PrincipalName, Identity)
    case addGrant(PrincipalName, Grant)
    case removeGrant(PrincipalName, Grant)
    /// Another quota; `nil` for the standard one, which `anonymous` doesn't have.
    case setQuota(PrincipalName, Quota, from: Int64?, to: Int64?)
    /// A token that is revoked.
    case removeToken(PrincipalName, TokenNote)
    /// Another label, or another end.
    case setToken(PrincipalName, from: TokenNote, to: TokenNote)

    /// Whose account it changes.
    package var principal: PrincipalName {
        switch self {
        case .removePrincipal(let account): account.name
        case .addPrincipal(let name), .addIdentity(let name, _), .removeIdentity(let name, _),
            .addGrant(let name, _), .removeGrant(let name, _), .setQuota(let name, _, _, _),
            .removeToken(let name, _), .setToken(let name, _, _):
            name
        }
    }

    /// Whether it changes an account that stays, but for its tokens: those have rows of their own.
    var isWithinAccount: Bool {
        switch self {
        case .addIdentity, .removeIdentity, .addGrant, .removeGrant, .setQuota: true
        case .addPrincipal, .removePrincipal, .removeToken, .setToken: false
        }
    }

    /// One line for people: `+` for what comes, `-` for what goes, `~` for what differs.
    package var line: String {
        switch self {
        case .addPrincipal(let name): "+ principal \(name)"
        case .removePrincipal(let account): "- principal \(Self.summary(of: account))"
        case .addIdentity(_, let identity): "+ identity \(identity)"
        case .removeIdentity(_, let identity): "- identity \(identity)"
        case .addGrant(_, let grant): "+ grant \(grant)"
        case .removeGrant(_, let grant): "- grant \(grant)"
        case .setQuota(let name, let quota, let from, let to):
            "~ quota \(quota.rawValue): \(Self.text(from, quota, of: name)) -> "
                + Self.text(to, quota, of: name)
        case .removeToken(_, let token): "- token \(Self.text(token))"
        case .setToken(_, let from, let to): "~ token \(Self.text(from)) -> \(Self.text(to))"
        }
    }

    private static func summary(of account: Account) -> String {
        let parts = [
            (account.identities.count, "identities"), (account.grants.count, "grants"),
            (account.tokens?.count ?? 0, "tokens"),
        ].filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
        return parts.isEmpty
            ? account.name.text : "\(account.name) (\(parts.joined(separator: ", ")))"
    }

    private static func text(_ value: Int64?, _ quota: Quota, of name: PrincipalName) -> String {
        if let value { return "\(value)" }
        // Clients that share it don't know of each other.
        if name == .anonymous { return "none" }
        return "standard (\(quota.standard.map(String.init) ?? "none"))"
    }

    static func text(_ token: TokenNote) -> String {
        let label = token.label.isEmpty ? "" : " '\(token.label)'"
        let end = token.expires.map { "until \($0.text)" } ?? "without an end"
        return "\(token.id)\(label) \(end)"
    }
}
