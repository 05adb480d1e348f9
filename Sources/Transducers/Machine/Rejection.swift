/// A refusal: the event does not fit the present state. Not a failure of the machine.
///
/// Thrown by `update`; the state stays as it was, nothing is recorded, and a client is answered
/// `EVENT_REJECTED` with the reason (protocol.md, "Events, states and outputs").
public struct Rejection: Error, Sendable, Equatable {
    /// Why, for people.
    public let reason: String

    /// The names of the events that the state accepts; empty where the machine doesn't say.
    public let accepts: [String]

    /// A refusal with its reason and, if the machine knows, what would do.
    public init(_ reason: String, accepts: [String] = []) {
        self.reason = reason
        self.accepts = accepts
    }
}
