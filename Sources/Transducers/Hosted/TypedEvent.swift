import OrderedJSON

/// An event of a Swift transducer.
@usableFromInline
final class TypedEvent<Event: Codable & Sendable>: HostedEvent {
    @usableFromInline let event: Event

    init(_ event: Event) { self.event = event }

    /// The event in its own type.
    @inlinable
    static func read(_ event: any HostedEvent) -> Event {
        guard let typed = event as? TypedEvent<Event> else {
            preconditionFailure("an event is applied only to the machine that decoded it")
        }
        return typed.event
    }

    @usableFromInline
    func copy() -> any HostedEvent { TypedEvent(event) }

    @usableFromInline
    func canonicalText() throws(StepFailure) -> [UInt8] {
        var writer = JSONWriter()
        do {
            try JSONCoding.encode(event, into: &writer)
        } catch {
            throw .evaluation("the event can't be written: \(error.message)")
        }
        return writer.bytes
    }
}
