import Transducers

// Pages of `list`, `history` and `effects`. The first turn is taken with the request; what it
// doesn't bring to an end goes on between commits, as catch-up of subscriptions does.

extension Engine {
    /// Whether some page is still to be read.
    public var hasPages: Bool { !pages.isEmpty }

    /// Begins to read a page.
    mutating func page(_ read: PageRead, of request: Request, store: any Store) -> Outcome {
        var read = read
        var needsCommit = false
        do throws(Failure) {
            if pageTurns < Limits.pageTurnsPerBatch {
                pageTurns += 1
                if let reply = try advance(&read, needsCommit: &needsCommit, store: store) {
                    return Outcome(reply, needsCommit: needsCommit)
                }
            } else if case .history(var history) = read {
                _ = try end(of: &history, needsCommit: &needsCommit, store: store)
                read = .history(history)
            }
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit)
        }
        guard pages.count < options.queueRequestsMax else { return Outcome(.failure(.overloaded)) }
        // What isn't committed may be given up, and only one page is kept in memory.
        let isKept = pages.isEmpty && !needsCommit
        pages.append(
            PageReadQueue.Entry(
                connection: request.connection, token: request.token,
                read: isKept ? read : read.rewound))
        return .held
    }

    /// Erases some of what deleted instances have left, about a millisecond of work; answers
    /// whether more is left. Waits for pages of their history that were asked for before they were
    /// deleted: then there is nothing to do for now.
    ///
    /// - Throws: what the store throws. After `.full` and `.corrupt` everything else goes on.
    public mutating func sweep(store: any Store) throws(StoreError) -> Bool {
        if pages.keepsSteps { return false }
        return try forgetting(in: store) { () throws(StoreError) in try store.sweep() }
    }

    /// A turn for the page that was asked for first.
    mutating func workOnPages(store: any Store, into actions: inout Actions) {
        guard batch.writes.isEmpty, var entry = pages.first else { return }
        if let reply = turn(&entry.read, store: store) {
            pages.first = nil
            actions.replies.append(
                Actions.ReplyTo(connection: entry.connection, token: entry.token, reply: reply))
        } else {
            pages.first = entry
        }
    }

    private mutating func turn(_ read: inout PageRead, store: any Store) -> Reply? {
        var needsCommit = false
        do throws(Failure) {
            return try advance(&read, needsCommit: &needsCommit, store: store)
        } catch {
            return .failure(error)
        }
    }

    /// One turn of reading; the reply when it was the last.
    private mutating func advance(
        _ read: inout PageRead, needsCommit: inout Bool, store: any Store
    ) throws(Failure) -> Reply? {
        switch read {
        case .list(var list):
            let reply = try advance(&list, needsCommit: &needsCommit, store: store)
            read = .list(list)
            return reply
        case .history(var history):
            let reply = try advance(&history, needsCommit: &needsCommit, store: store)
            read = .history(history)
            return reply
        case .effects(var effects):
            needsCommit = !batch.writes.isEmpty
            let reply = try advance(&effects, store: store)
            read = .effects(effects)
            return reply
        }
    }
}
