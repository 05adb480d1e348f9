/// What senders hold to send events to a machine and to end it.
///
/// A proxy has one life: it is given to one `run`.
public protocol TransducerProxy<Event>: Identifiable, Equatable, Sendable {
    /// The machine's events.
    associatedtype Event
    /// A handle that can send, but can't end the machine.
    associatedtype Input: Sendable

    /// A proxy for one run.
    init()

    /// A handle that can send, but can't end the machine.
    var input: Input { get }

    /// Ends the run: `run` throws `error`, or ``TransducerError/cancelled``. Events that wait
    /// are not applied, effects are cancelled, and a closure or callback that the machine waits
    /// for is cancelled but not waited for. Ending it again, or after its end, does nothing.
    func cancel(with error: (any Error)?)

    /// The machine's inbox.
    var channel: EventChannel<Event> { get }

    /// An input that sends to `sink`.
    static func makeInput(_ sink: any EventSink<Event>) -> Input
}

extension TransducerProxy {
    /// Ends the run with ``TransducerError/cancelled``.
    public func cancel() { cancel(with: nil) }

    /// Ends the run: `run` throws `error`, or ``TransducerError/cancelled``.
    public func cancel(with error: (any Error)?) {
        channel.stop(error ?? TransducerError.cancelled)
    }

    /// A handle that can send, but can't end the machine.
    public var input: Input { Self.makeInput(channel) }

    /// What tells proxies apart.
    public var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// How many events wait for the machine, not counting what it has taken to work on.
    public var waitingCount: Int { channel.waitingCount }

    /// What went on in the run that no sender was told of.
    public var report: RunReport { channel.report }

    /// A proxy equals itself.
    public static func == (left: Self, right: Self) -> Bool { left.channel === right.channel }
}

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
