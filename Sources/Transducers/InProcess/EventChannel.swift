import Synchronization

/// The inbox of one run of a machine: bounded, thread-safe, first in, first out.
///
/// The buffer's size bounds the events from outside, without those that the machine has dequeued.
/// Events of effects have a separate bound, so that a burst of theirs neither loses events nor is
/// refused because of others.
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

    var report: RunReport { inbox.withLock { $0.report } }

    var waitingCount: Int { inbox.withLock { $0.outsideCount } }

    /// The number of senders that wait for room.
    var senderCount: Int { inbox.withLock { $0.waiterCount } }

    func record(_ change: (inout RunReport) -> Void) { inbox.withLock { change(&$0.report) } }

    @usableFromInline
    func recordStale() { record { $0.staleCount += 1 } }

    @usableFromInline
    func recordRefused() { record { $0.refusedCount += 1 } }
}

// MARK: - Senders

extension EventChannel: EventSink {
    /// Its own identity.
    public var inboxID: ObjectIdentifier { ObjectIdentifier(self) }

    /// Puts an event into the inbox.
    public func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        try send(event, from: nil, answer: answer)
    }

    /// Puts an event into the inbox, from an effect's run or from outside.
    func send(
        _ event: sending Event, from run: EffectRunID?, answer: EventAnswer?
    ) throws(TransducerError) {
        let arrival = try inbox.withLock { (inbox) throws(TransducerError) in
            if let reason = inbox.refusal(from: run) { throw reason }
            inbox.append(event, from: run, answer: answer)
            return inbox.arrival()
        }
        arrival.announce()
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

    /// Ends the run of an effect; it sends nothing more.
    ///
    /// - Parameter failure: The error, unless it was canceled.
    func effectEnded(_ run: EffectRunID, failure: (any Error)?) {
        inbox.withLock { inbox in
            if inbox.phase != .ended { inbox.queue.append(.ended(run, failure: failure)) }
            return inbox.arrival()
        }.announce()
    }

    /// Keeps a place, after all that was sent before, for an event that isn't in the inbox. The
    /// machine takes it with the inbox's next contents; it isn't woken up.
    func keepPlace(_ number: UInt64) {
        inbox.withLock { $0.queue.append(.kept(number: number)) }
    }

    func giveUpPlaces(_ numbers: Set<UInt64>) {
        inbox.withLock { inbox in
            inbox.queue.removeAll { envelope in
                if case .kept(let number) = envelope { numbers.contains(number) } else { false }
            }
        }
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
                        inbox.addWaiter(event, from: run, number: number, continuation)
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
    /// - Parameter onStop: Called when the run is canceled from outside, on any thread.
    /// - Throws: ``TransducerError/proxyAlreadyInUse``, or the error that stopped it before.
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

    /// Calls `wakeUp` whenever the empty inbox receives something, for a machine that doesn't wait
    /// in it.
    func callWhenFilled(_ wakeUp: @escaping @Sendable () -> Void) {
        inbox.withLock { $0.wakeUp = wakeUp }
    }

    /// Moves the contents of the inbox to `batch`, which is empty. The machine repeats this until
    /// the inbox is empty: waiting senders may have got room.
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
        // Released without the lock: their closures may call the inbox again.
        withExtendedLifetime(given) {}
        for waiter in admitted { waiter.resume(returning: nil) }
    }

    /// Waits until the inbox isn't empty, or the run is stopped.
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

    /// Refuses new events and answers waiting ones. Ends of effects are still received.
    @usableFromInline
    func close() { shut(.closing, because: .ended) }

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
        // The machine may never reach these: it may wait for a callback that doesn't return.
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
