/// How what a ``RemoteTransducer`` shows stands to what the server has.
public enum RemoteStatus: Hashable, Sendable {
    /// Nothing is known yet.
    case connecting
    /// What is shown is what the server has, but for what is on its way.
    case live
    /// The connection is gone, for this reason. What is shown was right then; the client tries to
    /// get back, and catches up.
    case interrupted(ClientError)
    /// Nobody follows the instance any more: it was cancelled, or can't go on, for this reason.
    case ended(ClientError?)
}
