/// Receives the verdict on an event. Called once, on any thread; must not wait.
public typealias EventAnswer = @Sendable (SendVerdict) -> Void

/// A receiver of events: the inbox of a machine, or a way to it.
public protocol EventSink<Event>: AnyObject, Sendable {
    /// The type of events.
    associatedtype Event

    /// The identity of the inbox that the events reach: the same for all ways to one machine.
    var inboxID: ObjectIdentifier { get }

    /// Puts an event into the inbox.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - answer: Receives the verdict, if the event was accepted.
    /// - Throws: The reason for a refusal; then nothing has changed.
    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError)

    /// Puts an event into the inbox as soon as there is room.
    ///
    /// - Throws: The reason for a refusal; ``TransducerError/cancelled`` when the task was canceled
    ///   while it waited.
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
