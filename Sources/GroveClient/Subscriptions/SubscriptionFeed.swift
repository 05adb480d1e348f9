import Synchronization

/// A ``SubscriptionBuffer`` between the client's queue, which puts items in, and whoever waits for
/// them. Each item goes to one consumer: to the one that has waited longest, where there are
/// several.
final class SubscriptionFeed: Sendable {
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<SubscriptionBuffer.Outcome, Never>
    }

    private struct State {
        var buffer: SubscriptionBuffer
        var waiters: [Waiter] = []
        /// How many have ever begun to wait.
        var count = 0
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

    /// Changes the books and hands the next items to those who wait.
    func update<Value>(_ change: (inout SubscriptionBuffer) -> Value) -> Value
    where Value: Sendable {
        let (value, served) = state.withLock { state in
            let value = change(&state.buffer)
            var served: [(Waiter, SubscriptionBuffer.Outcome)] = []
            while let waiter = state.waiters.first, let outcome = state.buffer.take() {
                state.waiters.removeFirst()
                served.append((waiter, outcome))
            }
            return (value, served)
        }
        for (waiter, outcome) in served { waiter.continuation.resume(returning: outcome) }
        return value
    }

    /// The cursor of the last item handed out.
    var cursor: String? { state.withLock { $0.buffer.cursor } }

    /// Whether the consumer has made enough room to tell the server.
    var isGrantDue: Bool { state.withLock { $0.buffer.grant > 0 } }

    /// The next item, as soon as there is one; `nil` at the end or when the task is cancelled.
    func next() async -> SubscriptionBuffer.Outcome {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(Waiter(number: number, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let place = state.waiters.firstIndex { $0.number == number }
                return place.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: .success(nil))
        }
    }

    private func wait(_ waiter: Waiter) {
        let outcome: SubscriptionBuffer.Outcome? = state.withLock { state in
            if Task.isCancelled { return .success(nil) }
            if let outcome = state.buffer.take() { return outcome }
            state.waiters.append(waiter)
            return nil
        }
        if let outcome { waiter.continuation.resume(returning: outcome) }
    }
}
