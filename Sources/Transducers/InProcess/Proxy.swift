/// A proxy whose senders don't wait: events stand in a bounded buffer until the machine takes
/// them.
///
/// When the buffer is full, the newest event is refused and `send` throws; those that wait stay.
public struct Proxy<Event>: TransducerProxy {
    /// The machine's inbox.
    public let channel: EventChannel<Event>

    /// A proxy for one run, with a buffer for 8 events.
    public init() { self.init(bufferSize: 8) }

    /// A proxy for one run.
    ///
    /// - Parameters:
    ///   - bufferSize: How many events may wait, at least 1; those that the machine has taken to
    ///     work on don't count.
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

    /// Sends an event, without waiting for anything.
    ///
    /// - Throws: ``TransducerError/bufferFull(capacity:)`` or ``TransducerError/ended``; the
    ///   event was not taken.
    public func send(_ event: sending Event) throws(TransducerError) {
        try channel.send(event, answer: nil)
    }

    /// An input that sends to `sink`.
    public static func makeInput(_ sink: any EventSink<Event>) -> Input { Input(sink: sink) }

    /// A handle that can send, but can't end the machine.
    public struct Input: Sendable {
        let sink: any EventSink<Event>

        /// Sends an event, without waiting for anything.
        ///
        /// - Throws: ``TransducerError/bufferFull(capacity:)``, ``TransducerError/ended``, or
        ///   ``TransducerError/effectNotCurrent``; the event was not taken.
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

        /// Sends an event and waits until it has been processed. Not for callbacks and actions
        /// of the machine itself: its step waits for them, so that they would wait for ever. A
        /// ``SyncSuspendingProxy`` answers them at once.
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
