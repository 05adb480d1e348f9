/// The events of a route or a handler: one event, or any.
///
/// An event with values is one event per value: a route for `.add(5)` is none for `.add(6)`.
/// Mappings serve routes that depend on values (``RouteTableBuilder/map(_:_:order:perform:)``).
public enum EventPattern<E: EventType>: Hashable, Sendable {
    /// Exactly this event.
    case some(E)
    /// Every event.
    case any

    /// The pattern for one event, or `.any` for `nil`.
    @inlinable
    public init(rawValue: E?) {
        self = rawValue.map(EventPattern.some) ?? .any
    }

    /// The one event, or `nil` for `.any`.
    @inlinable
    public var rawValue: E? {
        switch self {
        case .some(let event): event
        case .any: nil
        }
    }

    /// Whether `event` matches.
    @inlinable
    public func matches(_ event: E) -> Bool {
        switch self {
        case .some(let wanted): wanted == event
        case .any: true
        }
    }

    /// Whether the pattern is exactly this event; `.any` is none.
    @inlinable
    public static func == (pattern: EventPattern, event: E) -> Bool { pattern.rawValue == event }

    /// Whether the pattern is exactly this event; `.any` is none.
    @inlinable
    public static func == (event: E, pattern: EventPattern) -> Bool { pattern.rawValue == event }
}

extension EventPattern: CustomStringConvertible {
    /// The event's label, or `any`.
    public var description: String { rawValue.map { RouteLabel.of($0) } ?? "any" }
}
