/// How current the values of a ``RemoteTransducer`` are.
public enum RemoteStatus: Hashable, Sendable {
    /// Nothing is known yet.
    case connecting
    /// The values are those of the server, without records on their way.
    case live
    /// The connection is lost, for this reason. The values were right then; the client reconnects
    /// and catches up.
    case interrupted(ClientError)
    /// The instance isn't followed any more: it was canceled, or can't continue, for this reason.
    case ended(ClientError?)
}
