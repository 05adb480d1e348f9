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
            if let reply = try advance(&read, needsCommit: &needsCommit, store: store) {
                return Outcome(reply, needsCommit: needsCommit)
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

    /// Reads the pages about an instance to their end before it is deleted: they were asked for
    /// before.
    mutating func finishPages(about name: InstanceName, store: any Store) {
        // One that was begun in this batch may end with a step that isn't committed yet.
        let hasWrites = !batch.writes.isEmpty
        for var entry in pages.take(about: name) {
            var needsCommit = false
            let reply = finish(&entry.read, needsCommit: &needsCommit, store: store)
            batch.hold(
                Actions.ReplyTo(connection: entry.connection, token: entry.token, reply: reply),
                needsCommit: needsCommit || hasWrites,
                to: Request(
                    connection: entry.connection, token: entry.token,
                    operation: entry.read.operation))
        }
    }

    /// Reads the page to its end that was asked for last: an answer that can't wait any more.
    mutating func finishNewestPage(store: any Store) -> Reply {
        guard var entry = pages.takeLast() else {
            preconditionFailure("a page that waits is in the queue")
        }
        var needsCommit = false
        return finish(&entry.read, needsCommit: &needsCommit, store: store)
    }

    private mutating func finish(
        _ read: inout PageRead, needsCommit: inout Bool, store: any Store
    ) -> Reply {
        while true {
            do throws(Failure) {
                if let reply = try advance(&read, needsCommit: &needsCommit, store: store) {
                    return reply
                }
            } catch {
                return .failure(error)
            }
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

extension PageRead {
    /// The request as it was.
    fileprivate var operation: Operation {
        switch self {
        case .list(let read): .list(read.list)
        case .history(let read): .history(read.history)
        case .effects(let read): .effects(read.query)
        }
    }
}
