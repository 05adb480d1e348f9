/// Records that are lost to a subscription, because retention has removed them.
public struct SubscriptionGap: Hashable, Sendable {
    /// The cursor before the first missing record, as the server wrote it.
    public let from: String?
    /// The cursor after the last missing record.
    public let to: String?
    /// Why they were removed.
    public let reason: String

    /// A gap between two cursors.
    public init(from: String?, to: String?, reason: String) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}
