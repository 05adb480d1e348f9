/// Everything that can come out of a subscription, in the order it happened.
public enum SubscriptionItem: Sendable {
    /// Something happened to an instance.
    case record(Record)
    /// The server says where the subscription stands.
    case mark(SubscriptionMark)
    /// The connection is gone; the client is trying to get back.
    case interrupted(ClientError)
    /// The subscription runs again behind the last record. With `isAnew` it had been cut off in
    /// its snapshot, which is sent again from its beginning.
    case resumed(isAnew: Bool)
}

/// A line of a subscription that is no record.
public enum SubscriptionMark: Hashable, Sendable {
    /// Everything there was has been sent; what follows is new.
    case live
    /// The snapshot is complete; what follows happened after its moment.
    case snapshot
    /// Nothing more than a new cursor.
    case checkpoint
    /// Records were removed before they could be sent.
    case gap(SubscriptionGap)
    /// A mark this client doesn't know.
    case other(String)
}

/// Records that are lost to a subscription, because retention has removed them.
public struct SubscriptionGap: Hashable, Sendable {
    /// The cursor before the first one missing, as the server wrote it.
    public let from: String?
    /// The cursor behind the last one missing.
    public let to: String?
    /// Why they were removed.
    public let reason: String

    /// Puts a gap together.
    public init(from: String?, to: String?, reason: String) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}
