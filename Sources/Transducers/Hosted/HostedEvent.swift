import OrderedJSON

/// A decoded event of one machine. An object, because it is passed on more often than it is made.
public protocol HostedEvent: AnyObject, Sendable {
    /// The event in canonical form, for comparison.
    func canonicalText() throws(StepFailure) -> [UInt8]

    /// The text for the journal, if it has more than what was sent; `nil` for that.
    var journalText: [UInt8]? { get }

    /// The same event in memory of its own: two threads that count references to the same object
    /// wait for each other. By default the event itself, which is right, and slower.
    func copy() -> any HostedEvent
}

extension HostedEvent {
    /// None: the event is what was sent.
    public var journalText: [UInt8]? { nil }

    /// The event itself.
    public func copy() -> any HostedEvent { self }
}
