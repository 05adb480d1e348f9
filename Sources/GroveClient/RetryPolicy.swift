/// How a client repeats calls that get no answer, or an answer that may be better later.
///
/// Until a call's deadline the client sends it again after a lost connection, as soon as there is
/// another one, and when the server has postponed it: `OVERLOADED`, `DRAINING`, `RATE_LIMITED`,
/// `STORAGE_FULL`, `NOT_OWNER`, `SUSPENDED`, and for calls that can be repeated `UNAVAILABLE` and
/// `STORAGE_ERROR`. A call that the server may have carried out is sent again only if that is
/// harmless: with a dedup key, or when it only reads. The caller only gets a later answer
/// (docs/clients.md).
public struct RetryPolicy: Hashable, Sendable {
    /// The order of calls about one instance.
    public enum Order: Hashable, Sendable {
        /// They are sent without waiting for each other. The server applies them in the order of
        /// the calls, also after a lost connection. Only when it postpones one, for example under
        /// overload, calls that were sent already may come before it.
        case pipelined
        /// Each is sent after the answer to the one before it: no refusal changes the order.
        /// Calls about different instances don't wait for each other.
        case oneByOne
    }

    /// Whether calls are sent again.
    public var isOn: Bool
    /// Whether the client adds a dedup key to `send` and `create` without one, so that they can be
    /// sent again. The server keeps keys as long as the instance.
    public var makesKeys: Bool
    /// The order of calls about one instance.
    public var order: Order

    /// A policy; without arguments calls are sent again, with keys, and are pipelined.
    public init(isOn: Bool = true, makesKeys: Bool = true, order: Order = .pipelined) {
        self.isOn = isOn
        self.makesKeys = makesKeys
        self.order = order
    }

    /// Every call is sent once, unchanged, and fails with its connection.
    public static let never = RetryPolicy(isOn: false, makesKeys: false)
}
