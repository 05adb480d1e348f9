/// A proxy whose senders don't wait: events wait in a bounded buffer for the machine.
///
/// When the buffer is full, `send` throws and refuses the new event.
public struct Proxy<Event>: TransducerProxy {
    /// The machine's inbox.
    public let channel: EventChannel<Event>

    /// A proxy for one run, with a buffer for 8 events.
    public init() { self.init(bufferSize: 8) }

    /// A proxy for one run.
    ///
    /// - Parameters:
    ///   - bufferSize: The number of events that may wait, at least 1; those that the machine has
    ///     dequeued don't count.
    ///   - initialEvent: The first event, if any.
    public init(bufferSize: Int = 8, initialEvent: sending Event? = nil) {
        channel = EventChannel(capacity: bufferSize)
        if let initialEvent {
            do {
                try channel.send(initialEvent, answer: nil)
            } catch {
                preconditionFailure("a new buffer has room for an event: \(error)")
            }
        }
    }

    /// Sends an event without a wait.
    ///
    /// - Throws: ``TransducerError/bufferFull(capacity:)`` or ``TransducerError/ended``; the event
    ///   was refused.
    public func send(_ event: sending Event) throws(TransducerError) {
        try channel.send(event, answer: nil)
    }

    /// An input that sends to `sink`.
    public static func makeInput(_ sink: any EventSink<Event>) -> Input { Input(sink: sink) }

    /// A handle that can send, but can't end the machine.
    public struct Input: Sendable {
        let sink: any EventSink<Event>

        /// Sends an event without a wait.
        ///
        /// - Throws: ``TransducerError/bufferFull(capacity:)``, ``TransducerError/ended``, or
        ///   ``TransducerError/effectNotCurrent``; the event was refused.
        public func send(_ event: sending Event) throws(TransducerError) {
            try sink.send(event, answer: nil)
        }

        /// Sends an event and waits for room if the buffer is full.
        ///
        /// - Throws: ``TransducerError/ended``, or ``TransducerError/cancelled`` when the task
        ///   was cancelled while it waited.
        public func enqueue(_ event: sending Event) async throws(TransducerError) {
            try await sink.enqueue(event)
        }

        /// Sends an event and waits until it has been processed. Not for callbacks and actions of
        /// the machine itself: its step awaits them, so they would wait forever. A
        /// ``SyncSuspendingProxy`` answers them at once. Cancellation of the task doesn't end the
        /// wait: while no machine runs by the proxy, only its ``TransducerProxy/cancel(with:)``
        /// does.
        ///
        /// - Throws: As ``send(_:)``.
        @discardableResult
        public func sendAndWait(
            _ event: sending Event
        ) async throws(TransducerError) -> SendVerdict {
            try await sink.sendAndWait(event)
        }
    }
}
