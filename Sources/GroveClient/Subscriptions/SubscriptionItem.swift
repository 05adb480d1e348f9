/// Everything that a subscription returns, in the order it happened.
public enum SubscriptionItem: Sendable {
    /// Something happened to an instance.
    case record(Record)
    /// The server reports the position of the subscription.
    case mark(SubscriptionMark)
    /// The connection is lost; the client reconnects.
    case interrupted(ClientError)
    /// The subscription runs again after the last record. With `isAnew` it had been interrupted
    /// in its snapshot, which is sent again from its beginning.
    case resumed(isAnew: Bool)
}
