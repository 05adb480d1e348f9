/// An event that routes can be written for: a value that can be compared and hashed, mostly an
/// enum. Values cross threads, so what an event carries must be `Sendable`.
public protocol EventType: Hashable, Sendable {}

/// The event of machines that are only moved from state to state: it has no value, so none can
/// be sent.
public enum NoEvent: EventType, CaseIterable {}
