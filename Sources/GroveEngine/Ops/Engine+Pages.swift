import Transducers

// Pages of `list`, `history` and `effects`, and what `prune` reads. The first turn runs with the
// request. More turns run between commits, as those of subscriptions that catch up.

extension Engine {
    /// Whether some page is still to be read.
    public var hasPages: Bool { !pages.isEmpty }

    /// The number of pages that may be begun now.
    public var freePages: Int { max(0, Limits.pagesMax - pages.count) }

    /// Whether this request waits until a page or a description is answered.
    public func mustWait(_ request: borrowing Request) -> Bool {
        guard hasPages || !descriptions.isEmpty else { return false }
        return switch request.operation {
        case .list, .history, .effects, .prune:
            hasPages
                && (freePages == 0
                    || pages.count(of: request.connection) >= Limits.pagesPerConnectionMax)
        case .describe:
            descriptions.isFull(for: request.connection, besides: batch.descriptions)
        default: false
        }
    }

    /// Starts to read a page.
    mutating func page(_ read: PageRead, of request: Request, in turn: Turn) -> Reply? {
        var read = read
        do throws(Failure) {
            if batch.pageTurns < Limits.pageTurnsPerBatch {
                batch.pageTurns += 1
                if let reply = try advance(&read, in: turn) {
                    return reply
                }
            } else if case .history(var history) = read {
                _ = try end(of: &history, in: turn)
                read = .history(history)
            }
        } catch {
            return .failure(error)
        }
        guard pages.count < options.queueRequestsMax else { return .failure(.overloaded) }
        // What isn't committed may be given up, and only one page is kept in memory.
        let isKept = pages.isEmpty && !batch.answerNeedsCommit
        pages.append(
            PageReadQueue.Entry(request: request, read: isKept ? read : read.rewound))
        return nil
    }

    /// Purges data of deleted instances for about a millisecond; returns whether more is left.
    /// Waits for pages of their history that were requested before the deletion: then it does
    /// nothing.
    ///
    /// - Throws: As the store. After `.full` and `.corrupt` the server continues.
    public mutating func purge(store: any Store) throws(StoreError) -> Bool {
        if pages.keepsSteps { return false }
        return try removingSteps(in: store) { () throws(StoreError) in try store.purge() }
    }

    /// Reads some of the page that was requested first. The batch holds its reply if it shows
    /// uncommitted state.
    mutating func workOnPages(in turn: Turn, into ready: inout Ready) {
        guard var entry = pages.first else { return }
        batch.beginAnswer()
        let reply: Reply?
        do throws(Failure) {
            reply = try advance(&entry.read, in: turn)
        } catch {
            reply = .failure(error)
        }
        if let reply {
            pages.first = nil
            batch.release(reply, to: entry.request, into: &ready)
        } else {
            // What isn't committed may be lost.
            if batch.answerNeedsCommit { entry.read = entry.read.rewound }
            pages.first = entry
            // It may take much longer than a page, which would wait for it.
            if case .prune = entry.read { pages.moveFirstToEnd() }
        }
    }

    /// One turn of reading; the reply when it was the last.
    private mutating func advance(_ read: inout PageRead, in turn: Turn) throws(Failure) -> Reply? {
        switch read {
        case .list(var list):
            let reply = try advance(&list, in: turn)
            read = .list(list)
            return reply
        case .history(var history):
            let reply = try advance(&history, in: turn)
            read = .history(history)
            return reply
        case .effects(var effects):
            batch.rely(on: !batch.writes.isEmpty)
            let reply = try advance(&effects, in: turn)
            read = .effects(effects)
            return reply
        case .prune(var prune):
            let reply = try advance(&prune, in: turn)
            read = .prune(prune)
            return reply
        }
    }
}
