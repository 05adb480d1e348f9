/// What comes of one event, as told to its sender: outputs and failures in order, until nothing
/// is under way any more. `Void` and silent outputs (``SilenceableOutput``) tell nothing, so they
/// are not among them.
///
/// Results are handed out once, to the first reader. At most 1,024 wait; beyond that the oldest
/// make room, and ``droppedCount`` says how many.
public final class SendResults<Output: Sendable>: AsyncSequence, Sendable {
    /// An output, or an error of an effect.
    public typealias Element = Result<Output, any Error>

    private struct Progress {
        var waiting: [Element] = []
        var dropped = 0
        var isSettled = false
        var wasCancelled = false
        var consumer: UnsafeContinuation<Element?, Never>?
        var watchers: [Int: UnsafeContinuation<Void, Never>] = [:]
        var lastWatcher = 0
        var onCancel: (@Sendable () -> Void)?
    }

    private let progress = Locked(Progress())

    init() {}

    /// Results that nobody read in time.
    public var droppedCount: Int { progress.withLock { $0.dropped } }

    /// Whether ``cancel()`` was called before everything had ended, or anything that is followed
    /// was cancelled otherwise: by its id, by an effect that took its place, by the end of the
    /// machine, or because a queue had no room for it.
    public var isCancelled: Bool { progress.withLock { $0.wasCancelled } }

    /// Waits until nothing is under way any more, or the task is cancelled. The results stay for
    /// a reader.
    public func completion() async {
        let number = progress.withLock { progress in
            progress.lastWatcher += 1
            return progress.lastWatcher
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = progress.withLock { progress in
                    if progress.isSettled || Task.isCancelled { return true }
                    progress.watchers[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            progress.withLock { $0.watchers.removeValue(forKey: number) }?.resume()
        }
    }

    /// Waits for the end and hands out all results; those that have come, when the task is
    /// cancelled.
    public var allResults: [Element] {
        get async {
            await completion()
            return takeWaiting()
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
    func takeOutputs() -> [Output] { takeWaiting().compactMap { try? $0.get() } }

    private func takeWaiting() -> [Element] {
        progress.withLock { progress in
            defer { progress.waiting = [] }
            return progress.waiting
        }
    }

    /// Cancels everything that is under way for this event; what has been applied stays.
    public func cancel() {
        let onCancel = progress.withLock { progress in
            if !progress.isSettled { progress.wasCancelled = true }
            return progress.isSettled ? nil : progress.onCancel
        }
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

    private func next() async -> Element? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                // The next element; no element of it, if there will be none.
                let next = progress.withLock { progress -> Element?? in
                    if !progress.waiting.isEmpty { return progress.waiting.removeFirst() }
                    if progress.isSettled || Task.isCancelled || progress.consumer != nil {
                        return .some(nil)
                    }
                    progress.consumer = continuation
                    return nil
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            progress.withLock { $0.consumer.take() }?.resume(returning: nil)
        }
    }
}

extension SendResults: EffectObserver {
    /// Has `body` called when the sender cancels.
    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        progress.withLock { $0.onCancel = body }
    }

    func yield(_ element: Element) {
        let consumer = progress.withLock { progress -> UnsafeContinuation<Element?, Never>? in
            guard !progress.isSettled else { return nil }
            if let consumer = progress.consumer.take() { return consumer }
            if progress.waiting.count == RunLimits.waitingResults {
                progress.waiting.removeFirst()
                progress.dropped += 1
            }
            progress.waiting.append(element)
            return nil
        }
        consumer?.resume(returning: element)
    }

    func failed(_ error: any Error) { yield(.failure(error)) }

    func cancelled() {
        progress.withLock { if !$0.isSettled { $0.wasCancelled = true } }
    }

    func settled() {
        let (watchers, consumer, onCancel) = progress.withLock { progress in
            progress.isSettled = true
            let watchers = progress.watchers
            progress.watchers = [:]
            return (watchers, progress.consumer.take(), progress.onCancel.take())
        }
        // What it holds may notice that it is released: without the lock.
        withExtendedLifetime(onCancel) {}
        for watcher in watchers.values { watcher.resume() }
        consumer?.resume(returning: nil)
    }
}
