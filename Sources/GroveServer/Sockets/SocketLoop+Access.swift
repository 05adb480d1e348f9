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
        if !wrong.isEmpty { count(wrong, of: connection) }
        logRefusals()
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

    /// Counts wrong tokens by their address, and logs them.
    private func count(_ wrong: [DigestedToken?], of connection: Connection) {
        let now = context.now.uptime
        if let peer = connection.peer {
            for _ in wrong { backoff.recordFailure(of: peer, at: now) }
            // Others of this address may show right tokens, so only who guesses is closed.
            if backoff.isSpent(peer, at: now) { connection.machine.close(.unauthenticated) }
        }
        for claim in wrong {
            guard
                let line = accessLog.admit(
                    claim, connection: connection.machine.id.value,
                    peer: connection.origin.address, at: now)
            else { continue }
            // In a later turn, when the answer has left: how long the search for the reason takes
            // would show which tokens there are.
            post {
                AccessLog.write(
                    line, $0.log, $0.context.access.accounts,
                    at: $0.context.now.time.milliseconds)
            }
        }
    }

    /// Logs the requests that were refused since the last call.
    func logRefusals() {
        guard context.hasLogNotes else { return }
        let refused = context.refusals.take()
        if !refused.noted.isEmpty {
            accessLog.write(refused, log, context.access.accounts, at: context.now.uptime)
        }
        let strangers = context.strangers.take()
        if !strangers.noted.isEmpty {
            accessLog.write(strangers: strangers, log, at: context.now.uptime)
        }
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
