public import Transducers

/// An event of a request.
public enum EventInput: Sendable {
    /// Decoded to its machine's type.
    case decoded(any HostedEvent)
    /// The machine is known, the event is none of its.
    case undecodable(EventError)
    /// Decoded, but none that clients may send; it is called so.
    case internalOnly(any HostedEvent, name: String)
    /// There is no such machine.
    case unknownMachine
    /// The instance is set aside: its event isn't looked at, because that may be what ends the
    /// process.
    case withheld
}
