/// A line of a subscription that is no record.
public enum SubscriptionMark: Hashable, Sendable {
    /// All existing records have been sent; what follows is new.
    case live
    /// The snapshot is complete; what follows happened after its moment.
    case snapshot
    /// Nothing more than a new cursor.
    case checkpoint
    /// Records were removed before they could be sent.
    case gap(SubscriptionGap)
    /// A mark this client doesn't know.
    case other(String)

    init(_ name: String, _ fields: Fields) {
        self =
            switch name {
            case "live": .live
            case "snapshot": .snapshot
            case "checkpoint": .checkpoint
            case "gap":
                .gap(
                    SubscriptionGap(
                        from: fields.plainText("from"), to: fields.plainText("to"),
                        reason: fields.plainText("reason") ?? "unknown"))
            default: .other(name)
            }
    }
}
