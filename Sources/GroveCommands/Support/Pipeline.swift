import GroveClient

/// Sends requests without waiting for each reply; the replies come in the order of the requests.
enum Pipeline {
    /// Sends the requests of `next` until it returns `nil`, and calls `done` with each outcome.
    ///
    /// - Parameter requestsMax: The largest number under way, at least 1.
    static func run<Tag>(
        on client: Client, window requestsMax: Int = Pipeline.requestsMax, timeout: Duration,
        next: () throws -> (Tag, Request)?,
        done: (Tag, Result<Reply, ClientError>) async throws -> Void
    ) async throws {
        var waiting: [(tag: Tag, reply: PendingReply)] = []
        var first = 0
        var isAtEnd = false
        while true {
            while !isAtEnd, waiting.count - first < requestsMax {
                guard let (tag, request) = try next() else {
                    isAtEnd = true
                    break
                }
                waiting.append((tag, client.submit(request, timeout: timeout)))
            }
            guard first < waiting.count else { return }
            let (tag, reply) = waiting[first]
            first += 1
            if first == requestsMax {
                waiting.removeFirst(first)
                first = 0
            }
            try await done(tag, await reply.outcome { $0 })
        }
    }
}
