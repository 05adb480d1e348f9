/// `batch`: several sends as one request. They are applied in one commit, with nothing in between.
/// An object for the same reason as ``Send``.
public final class SendBatch: Sendable {
    /// One item.
    public enum Item: Sendable {
        /// A send; it waits for no effects.
        case send(Send)
        /// What was no send, and why.
        indirect case refused(Failure)
    }

    /// The items, at most ``Limits/batchItemsMax``.
    public let items: [Item]

    /// Whether all are applied or none.
    public let isAtomic: Bool

    /// Puts a batch together.
    public init(items: [Item], isAtomic: Bool) {
        self.items = items
        self.isAtomic = isAtomic
    }
}

/// `can`: whether an instance would take an event.
public struct Can: Sendable {
    /// The instance.
    public var to: InstanceName
    /// The event, decoded.
    public var event: EventInput
    /// The event as it was sent: a step has a bound of bytes, of which it is a part.
    public var eventText: [UInt8]

    /// Puts the three together.
    public init(to: InstanceName, event: EventInput, eventText: [UInt8]) {
        self.to = to
        self.event = event
        self.eventText = eventText
    }
}
