/// The subject of a hold by an operator (protocol.md, "suspend").
public enum HoldSubject: Hashable, Sendable {
    /// The instance of this name, `machine/instance`.
    case instance(String)
    /// All instances of the machine of this name.
    case machine(String)
}
