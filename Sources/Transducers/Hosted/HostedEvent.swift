import OrderedJSON

/// A decoded event, ready to be applied to instances of the machine that decoded it. An object,
/// because it is remembered and handed around more often than it is made.
public protocol HostedEvent: AnyObject, Sendable {
    /// The event in canonical form, for comparing events that were written differently.
    func canonicalText() throws(StepFailure) -> [UInt8]
}
