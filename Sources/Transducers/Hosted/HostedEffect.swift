import OrderedJSON

/// An effect of a hosted machine with its types erased: what a step asks its host for, and what
/// the host stores.
public indirect enum HostedEffect: Sendable, Hashable, Codable {
    /// Start work, or have it wait.
    case start(HostedRun)
    /// Apply an event; only within a sequence, where its time comes after the step.
    case event(JSONValue)
    /// Cancel what is meant.
    case cancel(HostedSelector)
    /// Make a queue's new policy known.
    case updateQueue(HostedQueue)
    /// One after the other, each when the one before has ended well.
    case sequence([HostedEffect])
    /// All, begun in order.
    case all([HostedEffect])
}
