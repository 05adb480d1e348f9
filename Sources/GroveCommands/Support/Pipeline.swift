import GroveClient

/// Many requests under way at a time, their replies in the order of the requests.
enum Pipeline {
    /// How many may be under way.
    static let windowMax = 256

    /// Submits what `next` hands out until it has no more, and hands each outcome to `done`.
    ///
    /// - Parameter windowMax: How many may be under way, at least 1.
    static func run<Tag>(
        on client: Client, window windowMax: Int = Pipeline.windowMax, timeout: Duration,
        next: () throws -> (Tag, Request)?,
        done: (Tag, Result<Reply, ClientError>) async throws -> Void
    ) async throws {
        var waiting: [(tag: Tag, reply: PendingReply)] = []
        var first = 0
        var isAtEnd = false
        while true {
            while !isAtEnd, waiting.count - first < windowMax {
                guard let (tag, request) = try next() else {
                    isAtEnd = true
                    break
                }
                waiting.append((tag, client.submit(request, timeout: timeout)))
            }
            guard first < waiting.count else { return }
            let (tag, reply) = waiting[first]
            first += 1
            if first == windowMax {
                waiting.removeFirst(first)
                first = 0
            }
            try await done(tag, outcome(of: reply))
        }
    }

    private static func outcome(of pending: PendingReply) async -> Result<Reply, ClientError> {
        do throws(ClientError) { return .success(try await pending.value) } catch {
            return .failure(error)
        }
    }
}
