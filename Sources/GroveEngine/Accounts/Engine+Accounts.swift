import GroveAccess
import GroveWire

extension Reply {
    /// The answer to `accounts`, `token` and `audit`.
    public struct Accounts: Sendable {
        package enum Content: Sendable {
            case page([Account], next: PrincipalName?)
            /// The differences, for people; and the token that was made, with its text.
            case changed([String], token: (token: StoredToken, owner: String, text: [UInt8])?)
            case audit([AuditEntry], next: Int64?)
        }

        package var content: Content

        package init(_ content: Content) { self.content = content }

        /// The estimated bytes.
        var bytes: Int {
            switch content {
            case .page(let accounts, _):
                accounts.reduce(0) {
                    $0 + 200 + $1.grants.count * 60 + $1.identities.count * 60
                        + ($1.tokens?.count ?? 0) * 200
                }
            case .changed(let lines, _): lines.reduce(0) { $0 + $1.utf8.count + 4 }
            case .audit(let entries, _):
                entries.reduce(0) { bytes, entry in
                    entry.changes.reduce(bytes + 250) { $0 + $1.utf8.count + 4 }
                }
            }
        }
    }
}

extension Engine {
    /// `accounts`, `token` and `audit`.
    mutating func accounts(
        _ wanted: AccountsRequest, of caller: Caller, in turn: Turn
    ) -> Reply {
        do throws(Failure) {
            switch wanted.action {
            case .list(let after, let limit):
                batch.rely(on: batch.committedAccounts != nil)
                return .accounts(Reply.Accounts(page(after: after, limit: limit)))
            case .audit(let after, let limit):
                let page = try reading { () throws(StoreError) in
                    try turn.store.audit(after: after, limit: limit)
                }
                let last = page.entries.last?.number
                let isLast = last == nil || last == access.accounts.audit?.number
                let next = isLast ? nil : last
                return .accounts(Reply.Accounts(.audit(page.entries, next: next)))
            case .change(let command, let text):
                return try change(command, wanted, text, of: caller, in: turn)
            }
        } catch {
            return .failure(error)
        }
    }

    /// A page of accounts, cut where it becomes large.
    private func page(after: PrincipalName?, limit: Int) -> Reply.Accounts.Content {
        var room = Limits.accountsPageBytesMax
        var page: [Account] = []
        let accounts = access.accounts.accounts(after: after, limit: limit + 1)
        for account in accounts.prefix(limit) where room > 0 {
            page.append(account)
            room -= Reply.Accounts(.page([account], next: nil)).bytes
        }
        return .page(page, next: page.count < accounts.count ? page.last?.name : nil)
    }

    private mutating func change(
        _ command: AccountsCommand, _ wanted: AccountsRequest, _ text: [UInt8]?,
        of caller: Caller, in turn: Turn
    ) throws(Failure) -> Reply {
        var who = AccountsCaller(
            name: access.accounts.name(of: caller.principal) ?? PrincipalName.anonymous.text,
            from: wanted.from, isOwner: caller.principal == StoredPrincipal.ownerNumber)
        who.force = wanted.force
        who.isTrial = wanted.isTrial
        var accounts = access.accounts
        let outcome: AccountsOutcome
        do throws(AccountsRefusal) {
            outcome = try accounts.carryOut(command, as: who, at: turn.now.milliseconds)
        } catch {
            throw Failure(error)
        }
        if !outcome.rows.isEmpty {
            if batch.committedAccounts == nil { batch.committedAccounts = access.accounts }
            access.change(accounts)
            batch.writes.accounts += outcome.rows
        }
        var made: (token: StoredToken, owner: String, text: [UInt8])?
        if let token = outcome.token, let text, !wanted.isTrial {
            made = (token, accounts.name(of: token.principal) ?? "", text)
        }
        batch.rely(on: batch.committedAccounts != nil)
        return .accounts(Reply.Accounts(.changed(outcome.lines, token: made)))
    }

    /// Records that a token was used on a day, once per token and day.
    ///
    /// - Parameter day: Days since 1970.
    package mutating func tokenUsed(_ id: TokenID, onDay day: Int64) {
        guard var token = access.accounts.tokens[id], token.lastUsed ?? .min < day else { return }
        if batch.committedAccounts == nil { batch.committedAccounts = access.accounts }
        token.lastUsed = day
        var accounts = access.accounts
        accounts.note(token)
        access.change(accounts)
        batch.writes.accounts.append(.token(token))
    }
}

extension Failure {
    init(_ refusal: AccountsRefusal) {
        switch refusal {
        case .badRequest(let path, let message): self = .badRequest(path: path, message: message)
        case .alreadyExists(let name): self = .principalExists(name.text)
        case .limit(let message): self = .limit(message)
        case .problems(let problems):
            self = .badAccounts(
                problems.listed.map { DefinitionProblem(path: $0.path, message: $0.message) })
        }
    }
}
