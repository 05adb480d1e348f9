import OrderedJSON

/// A decoded event of one machine. An object, because it is passed on more often than it is made.
public protocol HostedEvent: AnyObject, Sendable {
    /// The event in canonical form, for comparison.
    func canonicalText() throws(StepFailure) -> [UInt8]

    /// The text for the journal, if it has more than what was sent; `nil` for that.
    var journalText: [UInt8]? { get }
}

extension HostedEvent {
    /// None: the event is what was sent.
    public var journalText: [UInt8]? { nil }
}
