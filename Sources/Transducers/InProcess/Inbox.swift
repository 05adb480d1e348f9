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
        /// Counts the waiters.
        let place: UInt64
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
    private var outsideWaiters = WaitingLine<Waiter>()
    private var effectWaiters = WaitingLine<Waiter>()
    private var lastPlace: UInt64 = 0
    /// The number of the last sender that may have had to wait.
    var lastWaiter: UInt64 = 0
    var stopError: (any Error)?
    /// Whether it serves a machine, or has served one.
    var isBound = false
    var report = RunReport()
    let capacity: Int
    var effectCapacity = RunLimits.effectBufferSize

    init(capacity: Int) { self.capacity = capacity }

    var waiterCount: Int { outsideWaiters.count + effectWaiters.count }

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

    /// Makes a sender wait until there is room.
    ///
    /// - Parameter number: One that no other sender had.
    mutating func addWaiter(
        _ event: Event, from run: EffectRunID?, number: UInt64,
        _ continuation: UnsafeContinuation<TransducerError?, Never>
    ) {
        lastPlace += 1
        let waiter = Waiter(
            place: lastPlace, event: event, run: run, continuation: continuation)
        if run == nil {
            outsideWaiters.append(waiter, number: number)
        } else {
            effectWaiters.append(waiter, number: number)
        }
    }

    mutating func removeWaiter(
        _ number: UInt64
    ) -> UnsafeContinuation<TransducerError?, Never>? {
        (outsideWaiters.remove(number) ?? effectWaiters.remove(number))?.continuation
    }

    /// Accepts the events of waiting senders, in order, as far as there is room.
    mutating func admitWaiters() -> [UnsafeContinuation<TransducerError?, Never>] {
        var admitted: [UnsafeContinuation<TransducerError?, Never>] = []
        while let waiter = nextWaiter() {
            append(waiter.event, from: waiter.run, answer: nil)
            admitted.append(waiter.continuation)
        }
        return admitted
    }

    /// Takes the first waiter for whom there is room.
    private mutating func nextWaiter() -> Waiter? {
        let outside = outsideWaiters.first.flatMap { refusal(from: $0.run) == nil ? $0 : nil }
        let effect = effectWaiters.first.flatMap { refusal(from: $0.run) == nil ? $0 : nil }
        switch (outside, effect) {
        case (nil, nil): return nil
        case (nil, _?): return effectWaiters.popFirst()
        case (_?, nil): return outsideWaiters.popFirst()
        case (let outside?, let effect?):
            return outside.place < effect.place
                ? outsideWaiters.popFirst() : effectWaiters.popFirst()
        }
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
            outsideCount = 0
            effectCount = 0
        }
        let resumed = phase == .ended || !queue.isEmpty ? consumer.take() : nil
        let waiters = outsideWaiters.removeAll() + effectWaiters.removeAll()
        return (events, taken, waiters, resumed)
    }
}
