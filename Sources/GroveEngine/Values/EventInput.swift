public import Transducers

/// An event of a request.
public enum EventInput: Sendable {
    case decoded(any HostedEvent)
    /// The machine is known, but has no such event.
    case undecodable(EventError)
    /// Decoded, but only the machine may send it; `name` is its name.
    case internalOnly(any HostedEvent, name: String)
    case unknownMachine
    /// The instance is set aside: its event isn't decoded, because that may end the process.
    case withheld

    /// The same in memory of its own; see `HostedEvent.copy()`.
    package var copy: EventInput {
        switch self {
        case .decoded(let event): .decoded(event.copy())
        case .internalOnly(let event, let name): .internalOnly(event.copy(), name: name)
        case .undecodable, .unknownMachine, .withheld: self
        }
    }
}
