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
