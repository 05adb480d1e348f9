extension AccountChange {
    /// Changes an account that is there; `false` if the change doesn't fit it.
    func apply(to account: inout Account) -> Bool {
        switch self {
        case .addPrincipal, .removePrincipal: return false
        case .addIdentity(_, let identity):
            guard !account.identities.contains(identity) else { return false }
            account.insert(identity)
        case .removeIdentity(_, let identity): return account.remove(identity)
        case .addGrant(_, let grant):
            guard !account.grants.contains(grant) else { return false }
            account.insert(grant)
        case .removeGrant(_, let grant): return account.remove(grant)
        case .setQuota(_, let quota, let from, let to):
            guard account.quotas[quota] == from else { return false }
            account.quotas[quota] = to
        case .removeToken(_, let token): return Self.replace(token, by: nil, in: &account)
        case .setToken(_, let from, let to): return Self.replace(from, by: to, in: &account)
        }
        return true
    }

    private static func replace(
        _ token: TokenNote, by other: TokenNote?, in account: inout Account
    ) -> Bool {
        guard var tokens = account.tokens,
            let place = tokens.firstIndex(where: { $0.id == token.id }),
            tokens[place].agrees(with: token)
        else { return false }
        if let other {
            tokens[place].label = other.label
            tokens[place].expires = other.expires
        } else {
            tokens.remove(at: place)
        }
        account.setTokens(tokens)
        return true
    }
}
