/// The contents of an ``EventChannel``, which it uses under its lock.
struct Inbox<Event> {
    enum Phase {
        /// No machine yet.
        case fresh
        case running
        /// The machine is done: it receives only ends of effects.
        case closing
        case ended
    }

    struct Waiter {
        let number: UInt64
        let event: Event
        let run: EffectRunID?
        let continuation: UnsafeContinuation<TransducerError?, Never>
    }

    var queue: [Envelope<Event>] = []
    /// The answers of the events in the queue.
    var answers: [PendingAnswer] = []
    /// The answers that the machine dequeued last; all earlier ones have been given.
    var taken: [PendingAnswer] = []
    var outsideCount = 0
    var effectCount = 0
    var phase = Phase.fresh
    var consumer: UnsafeContinuation<Void, Never>?
    var wakeUp: (@Sendable () -> Void)?
    var onStop: (@Sendable (any Error) -> Void)?
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
    var stopError: (any Error)?
    /// Whether it serves a machine, or has served one.
    var isBound = false
    var report = RunReport()
    let capacity: Int
    var effectCapacity = RunLimits.effectBufferSize

    init(capacity: Int) { self.capacity = capacity }

    func refusal(from run: EffectRunID?) -> TransducerError? {
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

    mutating func append(_ event: Event, from run: EffectRunID?, answer: EventAnswer?) {
        if run == nil { outsideCount += 1 } else { effectCount += 1 }
        let answer = answer.map { PendingAnswer($0) }
        if let answer { answers.append(answer) }
        queue.append(.event(event, run: run, answer: answer))
    }

    /// The calls that follow an arrival in the queue; made without the lock.
    struct Arrival {
        let consumer: UnsafeContinuation<Void, Never>?
        let wakeUp: (@Sendable () -> Void)?

        func announce() {
            consumer?.resume()
            wakeUp?()
        }
    }

    mutating func arrival() -> Arrival {
        Arrival(consumer: consumer.take(), wakeUp: queue.count == 1 ? wakeUp : nil)
    }

    mutating func removeWaiter(
        _ number: UInt64
    ) -> UnsafeContinuation<TransducerError?, Never>? {
        let index = waiters.firstIndex { $0.number == number }
        return index.map { waiters.remove(at: $0).continuation }
    }

    /// Accepts the events of waiting senders, as far as there is room.
    mutating func admitWaiters() -> [UnsafeContinuation<TransducerError?, Never>] {
        guard !waiters.isEmpty else { return [] }
        let all = waiters
        waiters = []
        var admitted: [UnsafeContinuation<TransducerError?, Never>] = []
        for waiter in all {
            if refusal(from: waiter.run) == nil {
                append(waiter.event, from: waiter.run, answer: nil)
                admitted.append(waiter.continuation)
            } else {
                waiters.append(waiter)
            }
        }
        return admitted
    }

    /// Accepts no more events.
    ///
    /// - Returns: The rest, and the machine that waits in the inbox, if it must resume.
    mutating func shut(
        _ phase: Phase
    ) -> (
        events: [Envelope<Event>], taken: [PendingAnswer], waiters: [Waiter],
        consumer: UnsafeContinuation<Void, Never>?
    ) {
        if self.phase != .ended { self.phase = phase }
        var events: [Envelope<Event>] = []
        var ends: [Envelope<Event>] = []
        for envelope in queue {
            switch envelope {
            case .event: events.append(envelope)
            case .ended: ends.append(envelope)
            case .kept: break
            }
        }
        queue = phase == .ended ? [] : ends
        defer {
            answers = []
            taken = []
            waiters = []
            outsideCount = 0
            effectCount = 0
        }
        let resumed = phase == .ended || !queue.isEmpty ? consumer.take() : nil
        return (events, taken, waiters, resumed)
    }
}
