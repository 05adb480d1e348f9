/// Told what became of an event. Called once, on any thread; must not wait.
public typealias EventAnswer = @Sendable (SendVerdict) -> Void

/// Where events go: the inbox of a machine, or a way to it. What inputs are made of.
public protocol EventSink<Event>: AnyObject, Sendable {
    /// What is sent.
    associatedtype Event

    /// Puts an event into the inbox.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - answer: Told what became of it, if it was taken.
    /// - Throws: The reason why it was not taken; then nothing has changed.
    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError)

    /// Puts an event into the inbox as soon as there is room.
    ///
    /// - Throws: The reason why it was not taken; ``TransducerError/cancelled`` when the task
    ///   was cancelled while it waited.
    func enqueue(_ event: sending Event) async throws(TransducerError)
}

extension EventSink {
    /// Puts an event into the inbox.
    public func send(_ event: sending Event) throws(TransducerError) {
        try send(event, answer: nil)
    }

    /// Puts an event into the inbox and waits until it has been processed.
    @discardableResult
    public func sendAndWait(
        _ event: sending Event
    ) async throws(TransducerError) -> SendVerdict {
        var handover: Handover<Event>? = Handover(event)
        let result: Result<SendVerdict, TransducerError> = await withUnsafeContinuation {
            continuation in
            do throws(TransducerError) {
                guard let event = handover.take() else {
                    preconditionFailure("the closure is called once")
                }
                try send(event.take()) { continuation.resume(returning: .success($0)) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try result.get()
    }
}

/// What tells of the end of an effect's work.
protocol EffectHome<Event>: EventSink {
    /// Takes an event of an effect's run.
    func send(
        _ event: sending Event, from run: EffectRunID, answer: EventAnswer?
    ) throws(TransducerError)

    /// Takes an event of an effect's run as soon as there is room.
    func enqueue(_ event: sending Event, from run: EffectRunID) async throws(TransducerError)

    /// The work of a run is over; nothing else comes from it.
    ///
    /// - Parameter failure: What it threw, unless it was cancelled.
    func effectEnded(_ run: EffectRunID, failure: (any Error)?)
}

/// Where one run of an effect sends its events.
final class RunSink<Event>: EventSink {
    private let home: any EffectHome<Event>
    private let run: EffectRunID
    /// Whether the machine is done and doesn't want to hear: the effect of a last step.
    private let dropsEvents: Bool

    init(home: any EffectHome<Event>, run: EffectRunID, dropsEvents: Bool) {
        self.home = home
        self.run = run
        self.dropsEvents = dropsEvents
    }

    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        if dropsEvents {
            answer?(.notApplied(.ended))
        } else {
            try home.send(event, from: run, answer: answer)
        }
    }

    func enqueue(_ event: sending Event) async throws(TransducerError) {
        if !dropsEvents { try await home.enqueue(event, from: run) }
    }
}
