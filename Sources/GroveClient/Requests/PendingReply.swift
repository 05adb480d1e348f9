import Synchronization

/// The reply to a request that was submitted.
///
/// Requests submitted one after the other are sent in that order, without waiting for each other:
/// submit many, then ask for their values.
public final class PendingReply: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Result<Reply, ClientError>, Never>])
        case resolved(Result<Reply, ClientError>)
    }

    private let state = Mutex(State.waiting([]))
    /// A reply that is due keeps the client, until its deadline; it may be the only reference.
    private let client: Client

    init(client: Client) { self.client = client }

    /// The reply, once it has come.
    ///
    /// - Throws: ``ClientError``; when the waiting task is cancelled, ``ClientError/cancelled``
    ///   for all tasks that wait here. A request that was sent stays with the server and isn't
    ///   sent again.
    public var value: Reply {
        get async throws(ClientError) {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in wait(continuation) }
            } onCancel: {
                resolve(.failure(.cancelled))
            }
            return try result.get()
        }
    }

    private func wait(_ continuation: CheckedContinuation<Result<Reply, ClientError>, Never>) {
        let known: Result<Reply, ClientError>? = state.withLock { state in
            switch state {
            case .resolved(let result): return result
            case .waiting(let others):
                state = .waiting(others + [continuation])
                return nil
            }
        }
        if let known { continuation.resume(returning: known) }
    }

    /// Whether it has an answer, or was cancelled.
    var isResolved: Bool {
        state.withLock { state in
            if case .resolved = state { true } else { false }
        }
    }

    /// Resolves the reply; only the first call counts.
    func resolve(_ result: Result<Reply, ClientError>) {
        let continuations: [CheckedContinuation<Result<Reply, ClientError>, Never>] =
            state.withLock { state in
                guard case .waiting(let continuations) = state else { return [] }
                state = .resolved(result)
                return continuations
            }
        for continuation in continuations { continuation.resume(returning: result) }
    }
}
