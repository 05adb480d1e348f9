/// What is counted for each principal.
package enum Quota: String, CaseIterable, Hashable, Sendable {
    /// Connections at once.
    case connections
    /// Subscriptions at once, of all its connections.
    case subscriptions
    /// Requests without a reply at once, of all its connections.
    case requests
    /// Events a second.
    case eventsPerSecond = "events_per_s"
    /// Bytes of lines a second.
    case bytesPerSecond = "bytes_per_s"

    /// The quota of a principal that was given none; `nil` for no bound.
    package var standard: Int64? {
        switch self {
        case .connections: 256
        case .subscriptions: 1_024
        case .requests: 4_096
        case .eventsPerSecond, .bytesPerSecond: nil
        }
    }
}
