/// Sends events to a machine, and ends it. A proxy serves one `run`.
public protocol TransducerProxy<Event>: Identifiable, Equatable, Sendable {
    /// The machine's events.
    associatedtype Event
    /// A handle that can send, but can't end the machine.
    associatedtype Input: Sendable

    /// A proxy for one run.
    init()

    /// A handle that can send, but can't end the machine.
    var input: Input { get }

    /// Ends the run: `run` throws `error`, or ``TransducerError/cancelled``. Waiting events aren't
    /// applied, effects are canceled, and an awaited closure or callback is canceled. A run on its
    /// caller's actor doesn't await it any more; one whose caller has no actor does. A second call,
    /// or one after the end, does nothing.
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

    /// The identity of the proxy.
    public var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// The number of waiting events, without those that the machine has dequeued.
    public var waitingCount: Int { channel.waitingCount }

    /// The failures and refusals that weren't reported to a sender.
    public var report: RunReport { channel.report }

    /// A proxy equals itself.
    public static func == (left: Self, right: Self) -> Bool { left.channel === right.channel }
}
