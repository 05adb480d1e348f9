import Synchronization

/// A ``SubscriptionBuffer`` between the client's queue, which enqueues items, and its consumers.
/// Each item goes to one consumer: the one that has waited longest.
final class SubscriptionFeed: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<SubscriptionBuffer.Outcome, Never>
    }

    private struct State {
        var buffer: SubscriptionBuffer
        var waiters: [Waiter] = []
        var lastNumber = 0
    }

    /// The caller's request.
    let request: SubscriptionRequest
    private let state: Mutex<State>

    /// A feed that holds at most `window` records.
    init(request: SubscriptionRequest, window: Int) {
        self.request = request
        let buffer = SubscriptionBuffer(
            start: request.start, wantsSnapshot: request.wantsSnapshot, window: window)
        state = Mutex(State(buffer: buffer))
    }

    /// Changes the buffer and passes its next items to waiting consumers.
    func update<Value>(_ change: (inout SubscriptionBuffer) -> Value) -> Value
    where Value: Sendable {
        let (value, served) = state.withLock { state in
            let value = change(&state.buffer)
            var served: [(Waiter, SubscriptionBuffer.Outcome)] = []
            while let waiter = state.waiters.first, let outcome = state.buffer.dequeue() {
                state.waiters.removeFirst()
                served.append((waiter, outcome))
            }
            return (value, served)
        }
        for (waiter, outcome) in served { waiter.continuation.resume(returning: outcome) }
        return value
    }

    /// The cursor of the last dequeued item.
    var cursor: String? { state.withLock { $0.buffer.cursor } }

    /// Whether the consumer has made enough room to grant the server new credit.
    var isGrantDue: Bool { state.withLock { $0.buffer.grant > 0 } }

    /// The next item, as soon as there is one; `nil` at the end or when the task is cancelled.
    func next() async -> SubscriptionBuffer.Outcome {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(Waiter(number: number, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let index = state.waiters.firstIndex { $0.number == number }
                return index.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: .success(nil))
        }
    }

    private func wait(_ waiter: Waiter) {
        let outcome: SubscriptionBuffer.Outcome? = state.withLock { state in
            if Task.isCancelled { return .success(nil) }
            if let outcome = state.buffer.dequeue() { return outcome }
            state.waiters.append(waiter)
            return nil
        }
        if let outcome { waiter.continuation.resume(returning: outcome) }
    }
}
