import OrderedJSON

/// An effect of a hosted machine without its types, as the server stores it.
public indirect enum HostedEffect: Sendable, Hashable, Codable {
    /// Starts work, or lets it wait.
    case start(HostedRun)
    /// Applies an event; only in a sequence, after the step.
    case event(JSONValue)
    /// Cancels the selected effects.
    case cancel(HostedSelector)
    /// Gives effects other names, all at once. Times, attempts and children stay as they are.
    case rename([HostedRename])
    /// Changes the policy of a queue.
    case updateQueue(HostedQueue)
    /// Runs one after the other, each after the one before has succeeded.
    case sequence([HostedEffect])
    /// Runs all at once, started in order.
    case all([HostedEffect])
    /// Writes a value to the instance's history, as a record of kind `effect`.
    case log(label: String?, value: JSONValue)
}
