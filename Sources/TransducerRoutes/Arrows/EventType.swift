/// An event of routes: a hashable value, mostly an enum. Values cross threads, so associated values
/// must be `Sendable`.
public protocol EventType: Hashable, Sendable {}

/// The event of machines without events: it has no value, so none can be sent.
public enum NoEvent: EventType, CaseIterable {}
