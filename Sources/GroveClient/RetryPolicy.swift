/// What a client does by itself about calls that get no answer, or one that may be better later.
///
/// Within the time of a call the client sends it again when the connection was lost, as soon as
/// there is another one, and when the server has put it off: `OVERLOADED`, `DRAINING`,
/// `RATE_LIMITED`, `STORAGE_FULL`, `NOT_OWNER`, `SUSPENDED`, and for what can be repeated
/// `UNAVAILABLE` and `STORAGE_ERROR`. What may have been done already is sent again only where that
/// does no harm: with a dedup key, or when it only reads. All that comes of it for the caller is a
/// later answer (docs/clients.md).
public struct RetryPolicy: Hashable, Sendable {
    /// How calls about one instance follow each other.
    public enum Order: Hashable, Sendable {
        /// They go out without waiting for each other. The server applies them in the order of
        /// the calls, also when the connection was lost in between. Only when it puts one off,
        /// as when it is overloaded, those that were under way by then may come before it.
        case pipelined
        /// The next one goes out when the one before it has its answer: no refusal changes the
        /// order. Calls about different instances don't wait for each other.
        case oneByOne
    }

    /// Whether calls are sent again at all.
    public var isOn: Bool
    /// Whether `send` and `create` without a dedup key get one of the client's making, so that
    /// they can be sent again. The server keeps keys as long as the instance.
    public var makesKeys: Bool
    /// How calls about one instance follow each other.
    public var order: Order

    /// A policy; without arguments calls are sent again, with keys, and go out pipelined.
    public init(isOn: Bool = true, makesKeys: Bool = true, order: Order = .pipelined) {
        self.isOn = isOn
        self.makesKeys = makesKeys
        self.order = order
    }

    /// Every call is sent once, as it was made, and fails with its connection.
    public static let never = RetryPolicy(isOn: false, makesKeys: false)
}
