/// What stands in an inbox.
@usableFromInline
enum Envelope<Event> {
    /// An event, from outside or from a run of an effect.
    case event(Event, run: EffectRunID?, answer: PendingAnswer?)
    /// The end of an effect's work.
    case ended(EffectRunID, failure: (any Error)?)
}

/// The inbox of one run of a machine: bounded, thread-safe, first come, first served.
///
/// What comes from outside is bounded by the buffer's size, not counting what the machine has
/// taken to work on. What effects send is bounded apart, so that a burst of theirs neither loses
/// events nor is kept out by others.
public final class EventChannel<Event>: @unchecked Sendable {
    // Sendable, because everything below is used under the lock alone. Events come in by
    // `sending` and go out once.

    enum Phase {
        /// No machine yet.
        case fresh
        case running
        /// The machine is done: no more events, only ends of effects.
        case closing
        case ended
    }

    private struct Waiter {
        let number: UInt64
        let event: Event
        let run: EffectRunID?
        let continuation: UnsafeContinuation<TransducerError?, Never>
    }

    private let lock = Lock()
    private var queue: [Envelope<Event>] = []
    /// The answers that stand in the queue.
    private var answers: [PendingAnswer] = []
    /// Those that the machine took last; all that it took before have been given.
    private var taken: [PendingAnswer] = []
    private var outsideCount = 0
    private var effectCount = 0
    private var phase = Phase.fresh
    private var consumer: UnsafeContinuation<Void, Never>?
    private var wakeUp: (@Sendable () -> Void)?
    private var onStop: (@Sendable (any Error) -> Void)?
    private var waiters: [Waiter] = []
    private var lastWaiter: UInt64 = 0
    private var stopError: (any Error)?
    /// Whether it serves a machine, or has served one.
    private var isBound = false
    private var runReport = RunReport()
    private let capacity: Int
    private var effectCapacity = RunLimits.effectBufferSize
    /// Set for good when the run has been stopped from outside; read without the lock.
    @usableFromInline let isStopped = AtomicFlag()

    /// Whether senders wait until their event has been processed.
    @usableFromInline let sendersWait: Bool

    init(capacity: Int, sendersWait: Bool = false) {
        precondition(capacity > 0, "an inbox has room for at least one event")
        self.capacity = capacity
        self.sendersWait = sendersWait
    }

    /// What went on that no sender was told of.
    var report: RunReport { withLock { runReport } }

    /// How many events from outside wait.
    var waitingCount: Int { withLock { outsideCount } }

    func note(_ change: (inout RunReport) -> Void) { withLock { change(&runReport) } }

    @usableFromInline
    func noteStale() { note { $0.staleCount += 1 } }

    @usableFromInline
    func noteRefused() { note { $0.refusedCount += 1 } }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}

// MARK: - Senders

extension EventChannel: EffectHome {
    /// Puts an event into the inbox.
    public func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        try put(event, from: nil, answer: answer)
    }

    func send(
        _ event: sending Event, from run: EffectRunID, answer: EventAnswer?
    ) throws(TransducerError) {
        try put(event, from: run, answer: answer)
    }

    /// Puts an event into the inbox as soon as there is room.
    public func enqueue(_ event: sending Event) async throws(TransducerError) {
        try await wait(event, from: nil)
    }

    func enqueue(_ event: sending Event, from run: EffectRunID) async throws(TransducerError) {
        try await wait(event, from: run)
    }

    func effectEnded(_ run: EffectRunID, failure: (any Error)?) {
        lock.lock()
        if phase != .ended { queue.append(.ended(run, failure: failure)) }
        unlockAndWake()
    }

    private func put(
        _ event: consuming Event, from run: EffectRunID?, answer: EventAnswer?
    ) throws(TransducerError) {
        lock.lock()
        if let reason = refusal(from: run) {
            lock.unlock()
            throw reason
        }
        append(event, from: run, answer: answer)
        unlockAndWake()
    }

    private func refusal(from run: EffectRunID?) -> TransducerError? {
        switch phase {
        case .closing, .ended: .ended
        case .fresh, .running:
            if run == nil {
                outsideCount < capacity ? nil : .bufferFull(capacity: capacity)
            } else {
                effectCount < effectCapacity ? nil : .bufferFull(capacity: effectCapacity)
            }
        }
    }

    private func append(_ event: Event, from run: EffectRunID?, answer: EventAnswer?) {
        if run == nil { outsideCount += 1 } else { effectCount += 1 }
        let answer = answer.map { PendingAnswer($0) }
        if let answer { answers.append(answer) }
        queue.append(.event(event, run: run, answer: answer))
    }

    /// Ends the use of the lock and tells the machine that there is something for it.
    private func unlockAndWake() {
        let consumer = consumer
        self.consumer = nil
        let wakeUp = queue.count == 1 ? wakeUp : nil
        lock.unlock()
        consumer?.resume()
        wakeUp?()
    }

    private func wait(
        _ event: sending Event, from run: EffectRunID?
    ) async throws(TransducerError) {
        let number: UInt64 = withLock {
            lastWaiter += 1
            return lastWaiter
        }
        // Given away by the caller, and put into one place.
        nonisolated(unsafe) let event = event
        let failure: TransducerError? = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                lock.lock()
                switch refusal(from: run) {
                case .bufferFull where !Task.isCancelled:
                    waiters.append(
                        Waiter(
                            number: number, event: event, run: run, continuation: continuation))
                    lock.unlock()
                case .bufferFull:
                    lock.unlock()
                    continuation.resume(returning: .cancelled)
                case let reason?:
                    lock.unlock()
                    continuation.resume(returning: reason)
                case nil:
                    append(event, from: run, answer: nil)
                    unlockAndWake()
                    continuation.resume(returning: nil)
                }
            }
        } onCancel: {
            cancelWaiter(number)
        }
        if let failure { throw failure }
    }

    private func cancelWaiter(_ number: UInt64) {
        lock.lock()
        let index = waiters.firstIndex { $0.number == number }
        let waiter = index.map { waiters.remove(at: $0) }
        lock.unlock()
        waiter?.continuation.resume(returning: .cancelled)
    }

    /// Lets in those who wait for room, as far as there is some. Called with the lock held.
    private func admitWaiters() -> [UnsafeContinuation<TransducerError?, Never>] {
        guard !waiters.isEmpty else { return [] }
        var admitted: [UnsafeContinuation<TransducerError?, Never>] = []
        waiters.removeAll { waiter in
            guard refusal(from: waiter.run) == nil else { return false }
            append(waiter.event, from: waiter.run, answer: nil)
            admitted.append(waiter.continuation)
            return true
        }
        return admitted
    }
}

// MARK: - The machine

extension EventChannel {
    /// Binds the inbox to its one machine.
    ///
    /// - Parameter onStop: Called when the run is cancelled from outside, on any thread.
    /// - Throws: ``TransducerError/proxyAlreadyInUse``, or what it was stopped with before.
    @usableFromInline
    func begin(
        effectCapacity: Int, onStop: @escaping @Sendable (any Error) -> Void
    ) throws {
        lock.lock()
        defer { lock.unlock() }
        guard !isBound else { throw TransducerError.proxyAlreadyInUse }
        isBound = true
        if let stopError { throw stopError }
        phase = .running
        self.effectCapacity = effectCapacity
        self.onStop = onStop
    }

    /// Has `wakeUp` called whenever something comes into the empty inbox, instead of a machine
    /// that waits in it.
    func callWhenFilled(_ wakeUp: @escaping @Sendable () -> Void) {
        withLock { self.wakeUp = wakeUp }
    }

    /// Takes everything that stands in the inbox into `batch`, which is empty. Whoever takes
    /// goes on until there is nothing: those who waited for room may have come in.
    @usableFromInline
    func takeAll(into batch: inout [Envelope<Event>]) {
        lock.lock()
        swap(&queue, &batch)
        outsideCount = 0
        effectCount = 0
        // Let go of after the lock: whatever hangs on them may come back here.
        let given = taken
        taken = answers
        answers = []
        let admitted = admitWaiters()
        lock.unlock()
        withExtendedLifetime(given) {}
        for waiter in admitted { waiter.resume(returning: nil) }
    }

    /// Waits until there is something in the inbox, or the run is stopped.
    @usableFromInline
    func waitUntilFilled(isolation: isolated (any Actor)? = #isolation) async {
        await withUnsafeContinuation(isolation: isolation) { continuation in
            lock.lock()
            if queue.isEmpty && phase != .ended {
                consumer = continuation
                lock.unlock()
            } else {
                lock.unlock()
                continuation.resume()
            }
        }
    }

    /// Takes no more events; those that wait are answered. Ends of effects still come in.
    @usableFromInline
    func close() { shut(.closing, because: .ended) }

    /// The run is over.
    @usableFromInline
    func end() { shut(.ended, because: .ended) }

    /// Stops the run from outside. Does nothing when it is over.
    func stop(_ error: any Error) {
        lock.lock()
        guard phase != .ended, stopError == nil else {
            lock.unlock()
            return
        }
        stopError = error
        let onStop = onStop
        lock.unlock()
        isStopped.set()
        shut(.ended, because: .cancelled)
        onStop?(error)
    }

    private func shut(_ phase: Phase, because reason: TransducerError) {
        lock.lock()
        if self.phase != .ended { self.phase = phase }
        var rest: [Envelope<Event>] = []
        for envelope in queue {
            if case .event = envelope { rest.append(envelope) }
        }
        queue.removeAll { if case .event = $0 { true } else { phase == .ended } }
        answers = []
        let taken = taken
        self.taken = []
        outsideCount = 0
        effectCount = 0
        let waiters = waiters
        self.waiters = []
        lock.unlock()
        // Someone who waits in the inbox looks again.
        lock.lock()
        let consumer = phase == .ended || !queue.isEmpty ? consumer : nil
        if consumer != nil { self.consumer = nil }
        lock.unlock()
        consumer?.resume()
        for waiter in waiters { waiter.continuation.resume(returning: reason) }
        answer(rest, with: .notApplied(reason))
        // The machine may never come to these: it may wait for a callback that doesn't return.
        for answer in taken { answer.stop(.notApplied(reason)) }
    }

    /// Answers events that are not applied.
    @usableFromInline
    func answer(_ envelopes: some Sequence<Envelope<Event>>, with verdict: SendVerdict) {
        for case .event(_, _, let answer) in envelopes {
            if let answer {
                answer.give(verdict)
            } else {
                note { $0.unappliedCount += 1 }
            }
        }
    }
}
