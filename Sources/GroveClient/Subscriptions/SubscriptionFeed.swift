import Synchronization

/// A ``SubscriptionBuffer`` between the client's queue, which puts items in, and the one
/// consumer, who waits for them.
final class SubscriptionFeed: Sendable {
    private struct State {
        var buffer: SubscriptionBuffer
        var waiter: CheckedContinuation<SubscriptionBuffer.Outcome, Never>?
    }

    /// What was asked for.
    let request: SubscriptionRequest
    private let state: Mutex<State>

    /// A feed that holds at most `window` records.
    init(request: SubscriptionRequest, window: Int) {
        self.request = request
        let buffer = SubscriptionBuffer(
            start: request.start, wantsSnapshot: request.wantsSnapshot, window: window)
        state = Mutex(State(buffer: buffer))
    }

    /// Changes the books and hands the next item to the consumer if one waits.
    func update<Value>(_ change: (inout SubscriptionBuffer) -> Value) -> Value
    where Value: Sendable {
        let (value, waiter, outcome) = state.withLock { state in
            let value = change(&state.buffer)
            guard let waiter = state.waiter, let outcome = state.buffer.take() else {
                return (
                    value, nil as CheckedContinuation<SubscriptionBuffer.Outcome, Never>?,
                    nil as SubscriptionBuffer.Outcome?
                )
            }
            state.waiter = nil
            return (value, waiter, outcome)
        }
        if let waiter, let outcome { waiter.resume(returning: outcome) }
        return value
    }

    /// The cursor of the last item handed out.
    var cursor: String? { state.withLock { $0.buffer.cursor } }

    /// Whether the consumer has made enough room to tell the server.
    var isGrantDue: Bool { state.withLock { $0.buffer.grant > 0 } }

    /// The next item, as soon as there is one; `nil` at the end or when the task is cancelled.
    func next() async -> SubscriptionBuffer.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(continuation) }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: .success(nil))
        }
    }

    private func wait(_ continuation: CheckedContinuation<SubscriptionBuffer.Outcome, Never>) {
        let outcome: SubscriptionBuffer.Outcome? = state.withLock { state in
            precondition(state.waiter == nil, "a subscription has one consumer at a time")
            if Task.isCancelled { return .success(nil) }
            if let outcome = state.buffer.take() { return outcome }
            state.waiter = continuation
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
    }
}
