import OrderedJSON

/// A decoded event of one machine. An object, because it is passed on more often than it is made.
public protocol HostedEvent: AnyObject, Sendable {
    /// The event in canonical form, for comparison.
    func canonicalText() throws(StepFailure) -> [UInt8]
}
