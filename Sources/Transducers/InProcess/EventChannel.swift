import Synchronization

/// The inbox of one run of a machine: bounded, thread-safe, first come, first served.
///
/// What comes from outside is bounded by the buffer's size, not counting what the machine has
/// taken to work on. What effects send is bounded apart, so that a burst of theirs neither loses
/// events nor is kept out by others.
public final class EventChannel<Event>: Sendable {
    private let inbox: Locked<Inbox<Event>>
    private let stopped = Atomic(false)

    /// Whether the run has been stopped from outside; read without the lock.
    @usableFromInline var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Whether senders wait until their event has been processed.
    @usableFromInline let sendersWait: Bool

    init(capacity: Int, sendersWait: Bool = false) {
        precondition(capacity > 0, "an inbox has room for at least one event")
        inbox = Locked(Inbox(capacity: capacity))
        self.sendersWait = sendersWait
    }

    /// What went on that no sender was told of.
    var report: RunReport { inbox.withLock { $0.report } }

    /// How many events from outside wait.
    var waitingCount: Int { inbox.withLock { $0.outsideCount } }

    func record(_ change: (inout RunReport) -> Void) { inbox.withLock { change(&$0.report) } }

    @usableFromInline
    func recordStale() { record { $0.staleCount += 1 } }

    @usableFromInline
    func recordRefused() { record { $0.refusedCount += 1 } }
}

// MARK: - Senders

extension EventChannel: EventSink {
    /// Puts an event into the inbox.
    public func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        try put(event, from: nil, answer: answer)
    }

    /// Puts an event of an effect's run into the inbox.
    func send(
        _ event: sending Event, from run: EffectRunID, answer: EventAnswer?
    ) throws(TransducerError) {
        try put(event, from: run, answer: answer)
    }

    /// Puts an event into the inbox as soon as there is room.
    public func enqueue(_ event: sending Event) async throws(TransducerError) {
        try await wait(event, from: nil)
    }

    /// Puts events into the inbox, each as soon as there is room.
    func enqueue(each events: sending [Event]) async throws(TransducerError) {
        for event in events { try await wait(event, from: nil) }
    }

    /// Puts an event of an effect's run into the inbox as soon as there is room.
    func enqueue(_ event: sending Event, from run: EffectRunID) async throws(TransducerError) {
        try await wait(event, from: run)
    }

    /// The work of a run has ended; nothing else comes from it.
    ///
    /// - Parameter failure: What it threw, unless it was cancelled.
    func effectEnded(_ run: EffectRunID, failure: (any Error)?) {
        inbox.withLock { inbox in
            if inbox.phase != .ended { inbox.queue.append(.ended(run, failure: failure)) }
            return inbox.arrival()
        }.announce()
    }

    private func put(
        _ event: Event, from run: EffectRunID?, answer: EventAnswer?
    ) throws(TransducerError) {
        let arrival = try inbox.withLock { (inbox) throws(TransducerError) in
            if let reason = inbox.refusal(from: run) { throw reason }
            inbox.append(event, from: run, answer: answer)
            return inbox.arrival()
        }
        arrival.announce()
    }

    private func wait(_ event: Event, from run: EffectRunID?) async throws(TransducerError) {
        let number = inbox.withLock { inbox in
            inbox.lastWaiter += 1
            return inbox.lastWaiter
        }
        let failure: TransducerError? = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let entry: Result<Inbox<Event>.Arrival, TransducerError>? = inbox.withLock {
                    inbox in
                    switch inbox.refusal(from: run) {
                    case .bufferFull where !Task.isCancelled:
                        inbox.waiters.append(
                            Inbox.Waiter(
                                number: number, event: event, run: run,
                                continuation: continuation))
                        return nil
                    case .bufferFull:
                        return .failure(.cancelled)
                    case let reason?:
                        return .failure(reason)
                    case nil:
                        inbox.append(event, from: run, answer: nil)
                        return .success(inbox.arrival())
                    }
                }
                switch entry {
                case .success(let arrival)?:
                    arrival.announce()
                    continuation.resume(returning: nil)
                case .failure(let reason)?: continuation.resume(returning: reason)
                case nil: break
                }
            }
        } onCancel: {
            inbox.withLock { $0.removeWaiter(number) }?.resume(returning: .cancelled)
        }
        if let failure { throw failure }
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
        try inbox.withLock { (inbox) throws(any Error) in
            guard !inbox.isBound else { throw TransducerError.proxyAlreadyInUse }
            inbox.isBound = true
            if let stopError = inbox.stopError { throw stopError }
            inbox.phase = .running
            inbox.effectCapacity = effectCapacity
            inbox.onStop = onStop
        }
    }

    /// Has `wakeUp` called whenever something comes into the empty inbox, instead of a machine
    /// that waits in it.
    func callWhenFilled(_ wakeUp: @escaping @Sendable () -> Void) {
        inbox.withLock { $0.wakeUp = wakeUp }
    }

    /// Takes everything that is in the inbox into `batch`, which is empty. The machine takes until
    /// there is nothing: senders that waited for room may have come in.
    @usableFromInline
    func takeAll(into batch: inout [Envelope<Event>]) {
        let (given, admitted) = inbox.withLock { inbox in
            swap(&inbox.queue, &batch)
            inbox.outsideCount = 0
            inbox.effectCount = 0
            let given = inbox.taken
            inbox.taken = inbox.answers
            inbox.answers = []
            return (given, inbox.admitWaiters())
        }
        // Released without the lock: whatever hangs on them may come back here.
        withExtendedLifetime(given) {}
        for waiter in admitted { waiter.resume(returning: nil) }
    }

    /// Waits until there is something in the inbox, or the run is stopped.
    @usableFromInline
    func waitUntilFilled(isolation: isolated (any Actor)? = #isolation) async {
        await withUnsafeContinuation(isolation: isolation) { continuation in
            let isFilled = inbox.withLock { inbox in
                if inbox.queue.isEmpty && inbox.phase != .ended {
                    inbox.consumer = continuation
                    return false
                }
                return true
            }
            if isFilled { continuation.resume() }
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
        let (isFirst, onStop) = inbox.withLock { inbox in
            guard inbox.phase != .ended, inbox.stopError == nil else {
                return (false, (@Sendable (any Error) -> Void)?.none)
            }
            inbox.stopError = error
            return (true, inbox.onStop)
        }
        guard isFirst else { return }
        stopped.store(true, ordering: .releasing)
        shut(.ended, because: .cancelled)
        onStop?(error)
    }

    private func shut(_ phase: Inbox<Event>.Phase, because reason: TransducerError) {
        let left = inbox.withLock { $0.shut(phase) }
        left.consumer?.resume()
        for waiter in left.waiters { waiter.continuation.resume(returning: reason) }
        answer(left.events, with: .notApplied(reason))
        // The machine may never come to these: it may wait for a callback that doesn't return.
        for answer in left.taken { answer.stop(.notApplied(reason)) }
    }

    /// Answers events that are not applied.
    @usableFromInline
    func answer(_ envelopes: some Sequence<Envelope<Event>>, with verdict: SendVerdict) {
        for case .event(_, _, let answer) in envelopes {
            if let answer {
                answer.give(verdict)
            } else {
                record { $0.unappliedCount += 1 }
            }
        }
    }
}
