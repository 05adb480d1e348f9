import GroveAccess
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging

/// Accounts: their changes, wrong tokens, and the op `reload`.
extension SocketLoop {
    /// Sends the replies of a commit that has changed the accounts. First those that were earned by
    /// the former ones; then connections of whom something was revoked are closed; then those that
    /// tell of the change. So nothing is carried out, answered or sent for what was taken away once
    /// the change is acknowledged.
    func send(_ replies: [Ready.ReplyTo], around accounts: AccountsTable) {
        func tells(_ reply: Ready.ReplyTo) -> Bool {
            if case .accounts = reply.reply { true } else { false }
        }
        sendReplies(replies.filter { !tells($0) })
        let telling = replies.filter(tells)
        // A client that has taken its own token away gets the answer and what comes before it, and
        // is closed then.
        let told = Set(telling.map(\.connection))
        change(accounts, except: told)
        sendReplies(telling)
        for id in told {
            guard let connection = connections[id.value] else { continue }
            if connection.machine.accountsChanged(keepsUnsent: true, using: &context) {
                touch(connection)
            }
        }
    }

    /// Goes over to changed accounts, on every connection but those that get an answer to it.
    private func change(_ accounts: AccountsTable, except told: Set<ConnectionID>) {
        let before = context.access.accounts.audit?.number
        let isSame = context.access.accounts.version == accounts.version
        context.change(accounts)
        if let entry = accounts.audit, entry.number != before {
            log.notice(
                "accounts changed",
                metadata: [
                    "audit": "\(entry.number)", "by": "\(entry.by)", "from": "\(entry.from)",
                    "hash": "\(entry.hashText)",
                ])
        }
        // Only a token's last use was noted.
        guard !isSame else { return }
        for connection in connections.values
        where !connection.isHandshaking && !told.contains(connection.machine.id) {
            if connection.machine.accountsChanged(using: &context) { touch(connection) }
        }
    }

    /// Looks at what the last lines of a connection have said about who it is.
    func noteAccess(of connection: Connection) {
        let wrong = connection.machine.takeWrongTokens()
        if wrong.count > 0 { countWrongTokens(wrong.count, wrong.lastID, of: connection) }
        for (token, day) in context.takeUsedTokens() {
            engine.post { $0.tokenUsed(token, onDay: day) }
        }
        for request in connection.machine.takeServerRequests() {
            switch request.kind {
            case .reload: reload(for: connection.machine.id, request.token)
            case .stats:
                connection.machine.deliver(
                    statisticsReply(engineNumbers), to: request.token, using: &context)
            }
        }
    }

    private func countWrongTokens(_ count: Int, _ id: TokenID?, of connection: Connection) {
        if let peer = connection.peer {
            for _ in 0..<count { backoff.recordFailure(of: peer, at: context.now.uptime) }
            // Others of this address may show right tokens, so only who guesses is closed.
            if backoff.isSpent(peer, at: context.now.uptime) {
                connection.machine.close(.unauthenticated)
            }
        }
        wrongTokenLines.warn(
            log, "a client showed a token that isn't right", at: context.now.uptime,
            metadata: [
                "connection": "c-\(connection.machine.id.value)",
                "peer": "\(connection.peer?.description ?? "unix")",
                "token": "\(id?.text ?? "not a token")",
            ])
    }

    // MARK: `reload`

    private func reload(for id: ConnectionID, _ token: UInt32) {
        Task { [weak self, reloadServer] in
            let outcome = await reloadServer()
            self?.post { $0.answerReload(outcome, to: id, token) }
        }
    }

    private func answerReload(_ outcome: ReloadOutcome, to id: ConnectionID, _ token: UInt32) {
        refreshNow()
        guard let connection = connections[id.value] else { return context.countLostReply() }
        connection.machine.deliver(outcome.reply, to: token, using: &context)
        update(connection)
    }
}
