/// What must change so that one document becomes another one. It is applied as a whole or not at
/// all.
package struct AccountsDifference: Equatable, Sendable {
    /// The changes, by principal. What is taken away stands before what is given, so that an
    /// identity can move from one to another.
    package let changes: [AccountChange]

    /// Some changes, in their order.
    package init(changes: [AccountChange]) { self.changes = changes }

    /// Compares two documents.
    ///
    /// When a token was made and last used makes no difference: only the server knows it. An
    /// account without the list of its tokens keeps those that it has.
    ///
    /// - Parameters:
    ///   - present: The accounts that there are.
    ///   - wanted: The accounts that there shall be.
    /// - Throws: ``AccountsProblems`` if a token is wanted that isn't there: a document can't make
    ///   one.
    package init(
        from present: AccountsDocument, to wanted: AccountsDocument
    ) throws(AccountsProblems) {
        try Self.checkTokens(present, wanted)
        var taken: [AccountChange] = []
        var given: [AccountChange] = []
        for account in present.accounts where wanted[account.name] == nil {
            taken.append(.removePrincipal(account))
        }
        for account in wanted.accounts {
            let before = present[account.name]
            if before == nil { given.append(.addPrincipal(account.name)) }
            Self.compare(before ?? Account(account.name), account, &taken, &given)
        }
        changes = taken + given
    }

    /// Whether nothing differs.
    package var isEmpty: Bool { changes.isEmpty }

    /// The changes for people: one block a principal, in the order of names.
    package var lines: [String] {
        let groups = Dictionary(grouping: changes, by: \.principal)
        return groups.keys.sorted().flatMap { name -> [String] in
            let changes = groups[name] ?? []
            let head = changes.first { change in
                switch change {
                case .addPrincipal, .removePrincipal: true
                default: false
                }
            }
            return [head?.line ?? "~ principal \(name)"]
                + changes.filter { $0 != head }.map { "    " + $0.line }
        }
    }

    /// The accounts after the changes.
    ///
    /// - Throws: ``AccountsConflictError`` if a change doesn't fit, because the accounts aren't
    ///   those that were compared. Then nothing has changed.
    package func applied(
        to document: AccountsDocument
    ) throws(AccountsConflictError) -> AccountsDocument {
        var accounts: [PrincipalName: Account] = [:]
        for account in document.accounts { accounts[account.name] = account }
        for change in changes {
            guard Self.apply(change, to: &accounts) else { throw AccountsConflictError(change) }
        }
        return AccountsDocument(accounts.values)
    }

    // MARK: comparing

    private static func checkTokens(
        _ present: AccountsDocument, _ wanted: AccountsDocument
    ) throws(AccountsProblems) {
        var problems = AccountsProblems()
        for account in wanted.accounts {
            let known = Set((present[account.name]?.tokens ?? []).map(\.id))
            for token in account.tokens ?? [] where !known.contains(token.id) {
                problems.add(
                    AccountsProblem.path(to: account.name) + ".tokens",
                    "\(account.name) has no token \(token.id), and a document can't make one: "
                        + "leave out tokens, and make one with 'grove token create'")
            }
        }
        guard problems.isEmpty else { throw problems }
    }

    private static func compare(
        _ before: Account, _ after: Account, _ taken: inout [AccountChange],
        _ given: inout [AccountChange]
    ) {
        let name = after.name
        for identity in before.identities where !after.identities.contains(identity) {
            taken.append(.removeIdentity(name, identity))
        }
        for identity in after.identities where !before.identities.contains(identity) {
            given.append(.addIdentity(name, identity))
        }
        let (former, new) = (Set(before.grants), Set(after.grants))
        for grant in before.grants where !new.contains(grant) {
            taken.append(.removeGrant(name, grant))
        }
        for grant in after.grants where !former.contains(grant) {
            given.append(.addGrant(name, grant))
        }
        for quota in Quota.allCases where before.quotas[quota] != after.quotas[quota] {
            given.append(
                .setQuota(name, quota, from: before.quotas[quota], to: after.quotas[quota]))
        }
        guard let tokens = after.tokens else { return }
        for token in before.tokens ?? [] {
            guard let other = tokens.first(where: { $0.id == token.id }) else {
                taken.append(.removeToken(name, token))
                continue
            }
            if !token.agrees(with: other) { given.append(.setToken(name, from: token, to: other)) }
        }
    }

    // MARK: applying

    /// Applies one change; `false` if it doesn't fit.
    private static func apply(
        _ change: AccountChange, to accounts: inout [PrincipalName: Account]
    ) -> Bool {
        let name = change.principal
        switch change {
        case .addPrincipal:
            guard accounts[name] == nil else { return false }
            var account = Account(name)
            if name != .anonymous { account.setTokens([]) }
            accounts[name] = account
            return true
        case .removePrincipal(let account):
            guard accounts[name]?.agrees(with: account) == true else { return false }
            accounts[name] = nil
            return true
        default:
            guard var account = accounts[name], change.apply(to: &account) else {
                return false
            }
            accounts[name] = account
            return true
        }
    }
}
