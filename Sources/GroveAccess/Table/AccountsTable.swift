/// All accounts of a server, in memory: what the engine changes and what every queue decides by.
///
/// A value: the engine changes its own, and gives it to the queue of sockets after the commit.
/// Rows come from the data file and go there (``AccountRow``).
package struct AccountsTable: Sendable {
    /// Grows with each change, so that who decided by an older one decides again.
    package private(set) var version: UInt32 = 0
    /// The principals that aren't revoked, by number.
    package private(set) var principals: [UInt32: StoredPrincipal] = [:]
    /// The tokens that aren't revoked.
    package private(set) var tokens: [TokenID: StoredToken] = [:]
    /// The last entry of the audit; `nil` before the first one.
    package private(set) var audit: AuditEntry?

    /// The names of all principals that ever were, for steps of the journal.
    private var names: [UInt32: PrincipalName] = [:]
    private var numbers: [PrincipalName: UInt32] = [:]
    private var owners: [Identity: UInt32] = [:]
    private var tokensOf: [UInt32: Set<TokenID>] = [:]
    private var tokenIDs: [TokenDigest: TokenID] = [:]
    private var lastNumber = StoredPrincipal.firstNumber - 1

    /// A server without accounts.
    package init() {}

    /// The accounts of some rows: all principals and tokens, and the last entry of the audit.
    package init(_ rows: some Sequence<AccountRow>) {
        for row in rows { apply(row) }
    }

    /// Whether there never was a principal, so that everybody who can connect may do everything.
    /// The first one ends that for good: revoking the last one doesn't open the server again.
    package var isOpen: Bool { names.isEmpty }

    // MARK: looking up

    /// The principal of a name that isn't revoked.
    package subscript(name: PrincipalName) -> StoredPrincipal? {
        numbers[name].flatMap { principals[$0] }
    }

    /// The name that a step of the journal is shown with; `nil` for no principal's number.
    package func name(of number: UInt32) -> String? {
        switch number {
        case StoredPrincipal.anonymousNumber: nil
        case StoredPrincipal.ownerNumber: PrincipalName.owner.text
        default: names[number]?.text
        }
    }

    /// The principal that has an identity.
    package func principal(with identity: Identity) -> StoredPrincipal? {
        owners[identity].flatMap { principals[$0] }
    }

    /// The tokens of a principal, by id.
    package func tokens(of number: UInt32) -> [StoredToken] {
        (tokensOf[number] ?? []).sorted().compactMap { tokens[$0] }
    }

    /// The token that a client has shown; `nil` for one that is unknown, wrong, or expired.
    ///
    /// It is looked up by its digest, so a wrong token of an id that is there takes the same work
    /// as one of an id that isn't. The time of the look-up says something about the digest at most,
    /// and nobody can choose that.
    ///
    /// - Parameters:
    ///   - id: The token's public part.
    ///   - digest: The digest of the whole token.
    ///   - milliseconds: The time.
    package func token(_ id: TokenID, _ digest: TokenDigest, at milliseconds: Int64) -> StoredToken?
    {
        guard let known = tokenIDs[digest], known == id, let stored = tokens[id],
            digest.matches(stored.digest), !stored.isExpired(at: milliseconds)
        else { return nil }
        return stored
    }

    /// Whether it can matter to clients of a principal that these are the accounts now, and no more
    /// the former ones: who they are, or what they may do.
    package func differs(from former: AccountsTable, for number: UInt32) -> Bool {
        guard version != former.version else { return false }
        switch number {
        case StoredPrincipal.ownerNumber: return false
        case StoredPrincipal.anonymousNumber:
            return isOpen != former.isOpen || self[.anonymous] != former[.anonymous]
        default:
            return principals[number] != former.principals[number]
                || tokensOf[number] != former.tokensOf[number]
        }
    }

    // MARK: rows and documents

    /// All rows, as they made it: principals in the order of their numbers, also revoked ones;
    /// tokens in that of their ids; the last entry of the audit.
    package var rows: [AccountRow] {
        let all = names.map { number, name in
            principals[number]
                ?? StoredPrincipal(number: number, account: Account(name), isRevoked: true)
        }
        return all.sorted { $0.number < $1.number }.map { .principal($0) }
            + tokens.values.sorted { $0.id < $1.id }.map { .token($0) }
            + (audit.map { [.audit($0)] } ?? [])
    }

    /// An account with what a document says of its tokens.
    package func account(of principal: StoredPrincipal) -> Account {
        var account = principal.account
        if account.name != .anonymous {
            account.setTokens(tokens(of: principal.number).map(\.note))
        }
        return account
    }

    /// The accounts whose names come after one, in the order of names.
    package func accounts(after name: PrincipalName?, limit: Int) -> [Account] {
        let later = numbers.keys.filter { other in name.map { $0 < other } ?? true }
        return later.sorted().prefix(limit).compactMap { self[$0].map(account) }
    }

    /// All of them.
    package var document: AccountsDocument {
        AccountsDocument(principals.values.map(account))
    }

    // MARK: changing

    /// Applies changes, all of them or none.
    ///
    /// - Returns: The rows to write, but for the audit's.
    /// - Throws: ``AccountsConflictError`` for a change that doesn't fit; then nothing has changed.
    package mutating func apply(
        _ changes: [AccountChange]
    ) throws(AccountsConflictError) -> [AccountRow] {
        var table = self
        var rows: [AccountRow] = []
        var rest = changes[...]
        while let change = rest.first {
            if let edited = try table.edit(&rest) {
                rows += edited
            } else {
                guard let written = table.apply(change) else { throw AccountsConflictError(change) }
                rows += written
                rest.removeFirst()
            }
        }
        self = table
        return Self.last(of: rows)
    }

    /// Takes changes within one account, as far as they follow one another, and writes it once;
    /// `nil` if the first one is of another kind.
    private mutating func edit(
        _ changes: inout ArraySlice<AccountChange>
    ) throws(AccountsConflictError) -> [AccountRow]? {
        guard let first = changes.first, first.isWithinAccount else { return nil }
        guard var principal = self[first.principal] else { throw AccountsConflictError(first) }
        while let change = changes.first, change.isWithinAccount,
            change.principal == first.principal
        {
            // An identity of its own is there, which the account says, or was taken away just now.
            if case .addIdentity(_, let identity) = change,
                let owner = owners[identity], owner != principal.number
            {
                throw AccountsConflictError(change)
            }
            guard change.apply(to: &principal.account) else { throw AccountsConflictError(change) }
            changes.removeFirst()
        }
        return write(.principal(principal))
    }

    /// The rows without those of a principal that a later row replaces: of a principal with many
    /// changes, one row is written.
    private static func last(of rows: [AccountRow]) -> [AccountRow] {
        var seen: Set<UInt32> = []
        let kept = rows.reversed().filter { row in
            guard case .principal(let principal) = row else { return true }
            return seen.insert(principal.number).inserted
        }
        return kept.reversed()
    }

    /// Applies one change of a principal or a token as a whole; `nil` if it doesn't fit.
    private mutating func apply(_ change: AccountChange) -> [AccountRow]? {
        let name = change.principal
        switch change {
        case .addPrincipal:
            guard numbers[name] == nil else { return nil }
            return write(
                .principal(StoredPrincipal(number: lastNumber + 1, account: Account(name))))
        case .removePrincipal(let account):
            guard var principal = self[name], self.account(of: principal).agrees(with: account)
            else { return nil }
            let revoked = tokens(of: principal.number).flatMap { write(.tokenRevoked($0.id)) }
            principal.account = Account(name)
            principal.isRevoked = true
            return revoked + write(.principal(principal))
        case .removeToken(_, let note):
            guard let token = tokens[note.id], isToken(token, of: name, note) else { return nil }
            return write(.tokenRevoked(token.id))
        case .setToken(_, let from, let to):
            guard var token = tokens[from.id], isToken(token, of: name, from) else { return nil }
            token.label = to.label
            token.expires = to.expires?.milliseconds
            return write(.token(token))
        case .addIdentity, .removeIdentity, .addGrant, .removeGrant, .setQuota: return nil
        }
    }

    private func isToken(_ token: StoredToken, of name: PrincipalName, _ note: TokenNote) -> Bool {
        principals[token.principal]?.name == name && token.note.agrees(with: note)
    }

    /// Applies a row and returns it.
    private mutating func write(_ row: AccountRow) -> [AccountRow] {
        apply(row)
        return [row]
    }

    /// Applies a row: one of the data file, or a change that was checked.
    package mutating func apply(_ row: AccountRow) {
        version &+= 1
        switch row {
        case .principal(let principal): put(principal)
        case .token(let token):
            if let former = tokens[token.id] { tokenIDs[former.digest] = nil }
            tokens[token.id] = token
            tokenIDs[token.digest] = token.id
            tokensOf[token.principal, default: []].insert(token.id)
        case .tokenRevoked(let id):
            guard let token = tokens.removeValue(forKey: id) else { return }
            tokenIDs[token.digest] = nil
            tokensOf[token.principal]?.remove(id)
        case .audit(let entry):
            if entry.number >= audit?.number ?? 0 { audit = entry }
        }
    }

    /// Notes a use of a token, which changes nothing that anybody decides by.
    package mutating func note(_ token: StoredToken) { tokens[token.id] = token }

    private mutating func put(_ principal: StoredPrincipal) {
        let number = principal.number
        lastNumber = max(lastNumber, number)
        if let former = principals[number] {
            // Unless somebody else has them by now.
            for identity in former.account.identities where owners[identity] == number {
                owners[identity] = nil
            }
            if numbers[former.name] == number { numbers[former.name] = nil }
        }
        names[number] = principal.name
        guard !principal.isRevoked else {
            principals[number] = nil
            tokensOf[number] = nil
            return
        }
        principals[number] = principal
        numbers[principal.name] = number
        for identity in principal.account.identities { owners[identity] = number }
    }

    /// The entry of the audit that comes next.
    package func nextAudit(
        at time: Int64, by: String, from: String, changes: [String]
    ) -> AuditEntry {
        AuditEntry(
            number: (audit?.number ?? 0) + 1, after: audit?.hash ?? AuditEntry.noHash, time: time,
            by: by, from: from, changes: changes)
    }
}
