/// The results of one event for its sender: outputs and failures in order, until all work has
/// ended. `Void` and silent outputs (``SilenceableOutput``) aren't among them.
///
/// Each result is returned once, to the reader that has waited longest. At most 1,024 results wait;
/// then the oldest are dropped, and ``droppedCount`` counts them.
public final class SendResults<Output: Sendable>: AsyncSequence, Sendable {
    /// An output, or an error of an effect.
    public typealias Element = Result<Output, any Error>

    private struct Progress {
        var waiting: [Element] = []
        var dropped = 0
        var isSettled = false
        var wasCancelled = false
        /// The readers that wait for a result, in order.
        var readers: [(number: Int, continuation: UnsafeContinuation<Element?, Never>)] = []
        var watchers: [Int: UnsafeContinuation<Void, Never>] = [:]
        /// The number of the last reader or watcher.
        var lastNumber = 0
        var onCancel: (@Sendable () -> Void)?

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let progress = Locked(Progress())
    private let waitingMax: Int

    /// - Parameter waitingMax: The number of results that may wait.
    init(waitingMax: Int = RunLimits.waitingResults) { self.waitingMax = waitingMax }

    /// The number of dropped results.
    public var droppedCount: Int { progress.withLock { $0.dropped } }

    /// The number of readers that wait.
    var readerCount: Int { progress.withLock { $0.readers.count } }

    /// Whether ``cancel()`` was called before the end, or some of the work was canceled otherwise:
    /// by its id, by an effect that replaced it, by the machine's end, or because a queue was full.
    public var isCancelled: Bool { progress.withLock { $0.wasCancelled } }

    /// Waits until all work has ended, or the task is canceled. The results stay for a reader.
    public func completion() async {
        let number = progress.withLock { $0.nextNumber() }
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

    /// Waits for the end and returns all results; after a cancellation, the results so far.
    public var allResults: [Element] {
        get async {
            await completion()
            return takeWaiting()
        }
    }

    /// Waits for the end and returns the outputs.
    public var outputs: [Output] {
        get async { await allResults.compactMap { try? $0.get() } }
    }

    /// Waits for the end and returns the errors.
    public var errors: [any Error] {
        get async {
            await allResults.compactMap {
                if case .failure(let error) = $0 { error } else { nil }
            }
        }
    }

    /// Removes and returns the outputs so far.
    func takeOutputs() -> [Output] { takeWaiting().compactMap { try? $0.get() } }

    private func takeWaiting() -> [Element] {
        progress.withLock { progress in
            defer { progress.waiting = [] }
            return progress.waiting
        }
    }

    /// Cancels all work for this event; applied events stay applied.
    public func cancel() {
        let onCancel = progress.withLock { progress in
            if !progress.isSettled { progress.wasCancelled = true }
            return progress.isSettled ? nil : progress.onCancel
        }
        onCancel?()
    }

    /// Iterates over the results as they come.
    public func makeAsyncIterator() -> Iterator { Iterator(results: self) }

    /// Iterates over the results as they come.
    public struct Iterator: AsyncIteratorProtocol {
        let results: SendResults

        /// The next result; `nil` after the last one, or when the task is canceled.
        public func next() async -> Element? { await results.next() }
    }

    private func next() async -> Element? {
        let number = progress.withLock { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                // `.some(nil)` is the end.
                let next = progress.withLock { progress -> Element?? in
                    if !progress.waiting.isEmpty { return progress.waiting.removeFirst() }
                    if progress.isSettled || Task.isCancelled { return .some(nil) }
                    progress.readers.append((number, continuation))
                    return nil
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let reader = progress.withLock { progress in
                progress.readers.firstIndex { $0.number == number }
                    .map { progress.readers.remove(at: $0).continuation }
            }
            reader?.resume(returning: nil)
        }
    }
}

extension SendResults: EffectObserver {
    /// Calls `body` when the sender cancels.
    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
        progress.withLock { $0.onCancel = body }
    }

    func yield(_ element: Element) {
        let reader = progress.withLock { progress -> UnsafeContinuation<Element?, Never>? in
            guard !progress.isSettled else { return nil }
            if !progress.readers.isEmpty { return progress.readers.removeFirst().continuation }
            if progress.waiting.count == waitingMax {
                progress.waiting.removeFirst()
                progress.dropped += 1
            }
            progress.waiting.append(element)
            return nil
        }
        reader?.resume(returning: element)
    }

    func failed(_ error: any Error) { yield(.failure(error)) }

    func cancelled() {
        progress.withLock { if !$0.isSettled { $0.wasCancelled = true } }
    }

    func settled() {
        let (watchers, readers, onCancel) = progress.withLock { progress in
            progress.isSettled = true
            defer {
                progress.watchers = [:]
                progress.readers = []
            }
            return (progress.watchers, progress.readers, progress.onCancel.take())
        }
        // Released without the lock: its deallocation may call others.
        withExtendedLifetime(onCancel) {}
        for watcher in watchers.values { watcher.resume() }
        for reader in readers { reader.continuation.resume(returning: nil) }
    }
}
