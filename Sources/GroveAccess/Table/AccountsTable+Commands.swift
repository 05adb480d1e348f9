extension AccountsTable {
    /// Carries out a command, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - command: What to change.
    ///   - caller: Who changes it.
    ///   - time: The time, in milliseconds since 1970.
    /// - Returns: The rows that the data file must have from now on.
    /// - Throws: ``AccountsRefusal``; then the table is as before.
    package mutating func carryOut(
        _ command: AccountsCommand, as caller: AccountsCaller, at time: Int64
    ) throws(AccountsRefusal) -> AccountsOutcome {
        var table = self
        var outcome = AccountsOutcome()
        switch command {
        case .change(let edit):
            try table.apply(try changes(of: edit), into: &outcome)
        case .revoke(let name):
            let account = self[name].map { self.account(of: $0) }
            try table.apply(account.map { [.removePrincipal($0)] } ?? [], into: &outcome)
        case .apply(let wanted):
            try table.apply(try changes(to: wanted), into: &outcome)
        case .createToken(let wish, let made):
            try table.apply(try changes(for: wish), into: &outcome)
            try table.add(made, of: wish, at: time, into: &outcome)
        case .rotateToken(let id, let overlap, let end, let made):
            try table.rotate(id, overlap: overlap, end, made, at: time, into: &outcome)
        case .revokeToken(let id):
            try table.apply(changes(revoking: id), into: &outcome)
        case .revokeAllTokens:
            let all = tokens.keys.sorted().flatMap { changes(revoking: $0) }
            try table.apply(all, into: &outcome)
        }
        try requireAdministrator(after: table, as: caller, at: time)
        guard !outcome.rows.isEmpty, !caller.isTrial else {
            outcome.rows = []
            return outcome
        }
        let entry = table.nextAudit(
            at: time, by: caller.name, from: caller.from, changes: AuditEntry.kept(outcome.lines))
        table.apply(.audit(entry))
        outcome.rows.append(.audit(entry))
        self = table
        return outcome
    }

    private mutating func apply(
        _ changes: [AccountChange], into outcome: inout AccountsOutcome
    ) throws(AccountsRefusal) {
        do throws(AccountsConflictError) {
            outcome.rows += try apply(changes)
        } catch {
            throw .badRequest(path: "$", message: error.description)
        }
        outcome.lines += AccountsDifference(changes: changes).lines
    }

    // MARK: principals

    private func changes(of edit: PrincipalEdit) throws(AccountsRefusal) -> [AccountChange] {
        let name = edit.principal
        let present = self[name]
        if edit.isNew, present != nil { throw .alreadyExists(name) }
        if name == .anonymous, !edit.addedIdentities.isEmpty {
            throw .badRequest(
                path: "$.add.identities",
                message: "anonymous is who has no identity: give it to a principal")
        }
        if present == nil, edit.onlyTakes { return [] }
        var account = present?.account ?? Account(name)
        var changes: [AccountChange] = present == nil ? [.addPrincipal(name)] : []
        for identity in edit.removedIdentities where account.remove(identity) {
            changes.append(.removeIdentity(name, identity))
        }
        for grant in edit.removedGrants where account.remove(grant) {
            changes.append(.removeGrant(name, grant))
        }
        for identity in edit.addedIdentities where !account.identities.contains(identity) {
            if let other = principal(with: identity), other.name != name {
                throw .badRequest(
                    path: "$.add.identities",
                    message: "\(identity) is \(other.name)'s: it stands for one principal")
            }
            account.insert(identity)
            changes.append(.addIdentity(name, identity))
        }
        for grant in edit.addedGrants where !account.grants.contains(grant) {
            account.insert(grant)
            changes.append(.addGrant(name, grant))
        }
        for quota in Quota.allCases {
            guard let value = edit.quotas[quota], account.quotas[quota] != value else { continue }
            changes.append(.setQuota(name, quota, from: account.quotas[quota], to: value))
        }
        try check(account, isNew: present == nil)
        return changes
    }

    private func check(_ account: Account, isNew: Bool) throws(AccountsRefusal) {
        if isNew, principals.count >= AccountsDocument.accountsMax {
            throw .limit("a server has at most \(AccountsDocument.accountsMax) principals")
        }
        if account.identities.count > Account.identitiesMax {
            throw .limit("a principal has at most \(Account.identitiesMax) identities")
        }
        if account.grants.count > Account.grantsMax {
            throw .limit("a principal has at most \(Account.grantsMax) grants")
        }
    }

    private func changes(
        to wanted: AccountsDocument
    ) throws(AccountsRefusal) -> [AccountChange] {
        do throws(AccountsProblems) {
            return try AccountsDifference(from: document, to: wanted).changes
        } catch {
            throw .problems(error)
        }
    }

    // MARK: tokens

    private func changes(for wish: TokenWish) throws(AccountsRefusal) -> [AccountChange] {
        guard wish.principal != .anonymous else {
            throw .badRequest(
                path: "$.principal", message: "anonymous is who has no token: name a principal")
        }
        guard self[wish.principal] != nil || !wish.grants.isEmpty else {
            throw .badRequest(
                path: "$.principal",
                message: "there is no principal \(wish.principal): create it, or give grants")
        }
        guard TokenNote.isLabel(wish.label) else {
            throw .badRequest(
                path: "$.label",
                message: "a label has at most \(TokenNote.labelBytesMax) bytes without controls")
        }
        var edit = PrincipalEdit(wish.principal)
        edit.addedGrants = wish.grants
        return try changes(of: edit)
    }

    private mutating func add(
        _ made: DigestedToken, of wish: TokenWish, at time: Int64,
        into outcome: inout AccountsOutcome
    ) throws(AccountsRefusal) {
        guard let principal = self[wish.principal], tokens[made.id] == nil else {
            throw .badRequest(path: "$.principal", message: "the token can't be made; repeat it")
        }
        // Those that have ended hold no place.
        let ended = tokens(of: principal.number).filter { $0.isExpired(at: time) }
        try apply(ended.map { .removeToken(principal.name, $0.note) }, into: &outcome)
        if tokens(of: principal.number).count >= Account.tokensMax {
            throw .limit(
                "a principal has at most \(Account.tokensMax) tokens: revoke one of "
                    + "\(wish.principal)"
            )
        }
        let token = StoredToken(
            made.id, made.digest, of: principal.number, label: wish.label, made: time,
            expires: try Self.end(wish.end, from: time))
        apply(.token(token))
        outcome.rows.append(.token(token))
        if outcome.lines.isEmpty { outcome.lines.append("~ principal \(wish.principal)") }
        outcome.lines.append("    + token \(AccountChange.text(token.note))")
        outcome.token = token
    }

    private static func end(_ end: TokenEnd, from time: Int64) throws(AccountsRefusal) -> Int64? {
        switch end {
        case .standard: return time + TokenEnd.standardMilliseconds
        case .never: return nil
        case .at(let end):
            guard end > time else {
                throw .badRequest(path: "$.expires", message: "a token ends in the future")
            }
            return end
        }
    }

    private mutating func rotate(
        _ id: TokenID, overlap: Int64, _ end: TokenEnd, _ made: DigestedToken, at time: Int64,
        into outcome: inout AccountsOutcome
    ) throws(AccountsRefusal) {
        guard let former = tokens[id], let name = principals[former.principal]?.name else {
            throw .badRequest(path: "$.token_id", message: "there is no token \(id)")
        }
        guard (0...TokenEnd.overlapMax).contains(overlap) else {
            throw .badRequest(
                path: "$.overlap_ms",
                message: "overlap_ms is an integer from 0 to \(TokenEnd.overlapMax)")
        }
        var note = former.note
        let ends = min(former.expires ?? .max, time + overlap)
        note.expires = InstantText(milliseconds: ends)
        if overlap == 0 {
            try apply([.removeToken(name, former.note)], into: &outcome)
        } else if ends != former.expires {
            try apply([.setToken(name, from: former.note, to: note)], into: &outcome)
        }
        var wish = TokenWish(name)
        wish.label = former.label
        wish.end = end
        try add(made, of: wish, at: time, into: &outcome)
    }

    private func changes(revoking id: TokenID) -> [AccountChange] {
        guard let token = tokens[id], let name = principals[token.principal]?.name else {
            return []
        }
        return [.removeToken(name, token.note)]
    }

    // MARK: the way in

    /// Whether somebody can administer the server besides its owner.
    package func hasAdministrator(at time: Int64) -> Bool {
        principals.values.contains { principal in
            principal.account.verbs.contains(.admin)
                && (!principal.account.identities.isEmpty
                    || tokens(of: principal.number).contains { !$0.isExpired(at: time) })
        }
    }

    /// Refuses to lock everybody out by mistake. The owner still gets in, at a Unix socket or with
    /// the data file.
    private func requireAdministrator(
        after table: AccountsTable, as caller: AccountsCaller, at time: Int64
    ) throws(AccountsRefusal) {
        guard !caller.force, !table.isOpen, !table.hasAdministrator(at: time) else { return }
        if caller.isOwner, !isOpen, !hasAdministrator(at: time) { return }
        throw .badRequest(
            path: "$.force",
            message: "then nobody could administer the server but its owner: first give a "
                + "principal 'admin */*' with a token or an identity, or say force")
    }
}
