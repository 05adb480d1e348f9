/// The effects that the reply to an event waits for.
public enum Settling: String, Hashable, Sendable, CaseIterable {
    /// None: the reply comes when the event is stored. The server's default.
    case none
    /// The effects that the event asks for.
    case own
    /// These, and all that follow from their results, in other instances too.
    case tree
}
