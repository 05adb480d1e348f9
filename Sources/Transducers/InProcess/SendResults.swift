/// What comes of one event, as told to its sender: outputs and failures in order, until nothing
/// is under way any more. `Void` and silent outputs (``SilenceableOutput``) tell nothing, so they
/// are not among them.
///
/// Results are handed out once, to whoever asks first. At most 1,024 wait; beyond that the oldest
/// make room, and ``droppedCount`` says how many.
public final class SendResults<Output: Sendable>: AsyncSequence, @unchecked Sendable {
    // Sendable, because everything below is used under the lock alone.

    /// An output, or an error of an effect.
    public typealias Element = Result<Output, any Error>

    private let lock = Lock()
    private var waiting: [Element] = []
    private var dropped = 0
    private var isSettled = false
    private var wasCancelled = false
    private var consumer: UnsafeContinuation<Element?, Never>?
    private var watchers: [Int: UnsafeContinuation<Void, Never>] = [:]
    private var lastWatcher = 0
    private var onCancel: (@Sendable () -> Void)?

    init() {}

    /// Results that nobody read in time.
    public var droppedCount: Int { withLock { dropped } }

    /// Whether ``cancel()`` was called before everything had ended, or anything that is followed
    /// was cancelled otherwise: by its id, by an effect that took its place, by the end of the
    /// machine, or because a queue had no room for it.
    public var isCancelled: Bool { withLock { wasCancelled } }

    /// Waits until nothing is under way any more, or the task is cancelled. The results stay for
    /// whoever wants them.
    public func completion() async {
        let number = withLock {
            lastWatcher += 1
            return lastWatcher
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                lock.lock()
                if isSettled || Task.isCancelled {
                    lock.unlock()
                    continuation.resume()
                } else {
                    watchers[number] = continuation
                    lock.unlock()
                }
            }
        } onCancel: {
            withLock { watchers.removeValue(forKey: number) }?.resume()
        }
    }

    /// Waits for the end and hands out all results; those that have come, when the task is
    /// cancelled.
    public var allResults: [Element] {
        get async {
            await completion()
            return withLock {
                defer { waiting = [] }
                return waiting
            }
        }
    }

    /// Waits for the end and hands out the outputs.
    public var outputs: [Output] {
        get async { await allResults.compactMap { try? $0.get() } }
    }

    /// Waits for the end and hands out the errors.
    public var errors: [any Error] {
        get async {
            await allResults.compactMap {
                if case .failure(let error) = $0 { error } else { nil }
            }
        }
    }

    /// The outputs that are there already.
    func takeOutputs() -> [Output] {
        withLock {
            defer { waiting = [] }
            return waiting.compactMap { try? $0.get() }
        }
    }

    /// Waits for the first result; `nil` if there is none.
    public var firstResult: Element? {
        get async {
            let results = makeAsyncIterator()
            return await results.next()
        }
    }

    /// Cancels everything that is under way for this event; what has been applied stays.
    public func cancel() {
        lock.lock()
        let onCancel = isSettled ? nil : onCancel
        if !isSettled { wasCancelled = true }
        lock.unlock()
        onCancel?()
    }

    /// Hands out results as they come.
    public func makeAsyncIterator() -> Iterator { Iterator(results: self) }

    /// Hands out results as they come.
    public struct Iterator: AsyncIteratorProtocol {
        let results: SendResults

        /// The next result; `nil` when there will be no more, or when the task is cancelled.
        public func next() async -> Element? { await results.next() }
    }

    private func withLock<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    private func next() async -> Element? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                lock.lock()
                if !waiting.isEmpty {
                    let element = waiting.removeFirst()
                    lock.unlock()
                    continuation.resume(returning: element)
                } else if isSettled || Task.isCancelled || consumer != nil {
                    lock.unlock()
                    continuation.resume(returning: nil)
                } else {
                    consumer = continuation
                    lock.unlock()
                }
            }
        } onCancel: {
            takeConsumer()?.resume(returning: nil)
        }
    }

    private func takeConsumer() -> UnsafeContinuation<Element?, Never>? {
        withLock {
            defer { consumer = nil }
            return consumer
        }
    }
}

extension SendResults: EffectObserver {
    /// Has `body` called when the sender cancels.
    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        withLock { onCancel = body }
    }

    func yield(_ element: Element) {
        lock.lock()
        guard !isSettled else { return lock.unlock() }
        if let consumer {
            self.consumer = nil
            lock.unlock()
            consumer.resume(returning: element)
            return
        }
        if waiting.count == RunLimits.waitingResults {
            waiting.removeFirst()
            dropped += 1
        }
        waiting.append(element)
        lock.unlock()
    }

    func failed(_ error: any Error) { yield(.failure(error)) }

    func cancelled() {
        withLock { if !isSettled { wasCancelled = true } }
    }

    func settled() {
        lock.lock()
        isSettled = true
        let watchers = watchers
        let consumer = consumer
        self.watchers = [:]
        self.consumer = nil
        onCancel = nil
        lock.unlock()
        for watcher in watchers.values { watcher.resume() }
        consumer?.resume(returning: nil)
    }
}
