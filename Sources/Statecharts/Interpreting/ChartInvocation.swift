public import CEL

/// An invocation to start.
public struct ChartInvocation: Sendable {
    /// The work of an invocation.
    public enum Source: Sendable {
        /// A request by HTTP.
        case http(Request)
        /// A machine by its name, and the input of its context.
        case machine(String)
        /// A handler by its name; the input is the argument.
        case handler(String)
        /// An inline machine.
        case chart(Chart)
        /// A definition that was computed: to be read by the host.
        case definition(CELValue)
    }

    /// A request by HTTP.
    public struct Request: Sendable {
        /// The method.
        public var method: String
        /// The URL.
        public var url: String
        /// The headers by name: texts, or maps that name a secret of the server.
        public var headers: CELMap
        /// The body, sent as JSON; nil for none.
        public var body: CELValue?
    }

    /// The attempts of a request or handler. Nil means the host's default.
    public struct Retry: Sendable {
        /// The number of attempts.
        public var attemptsMax: Int?
        /// The first pause in milliseconds.
        public var interval: Int64?
        /// The factor of the next pause.
        public var backoff: Double?
        /// The longest pause in milliseconds.
        public var cap: Int64?
        /// Whether pauses are shortened at random.
        public var isJittered: Bool?
    }

    /// The id, unique among the running invocations of the instance.
    public let id: String
    /// The number of the invocation, unique within the instance for ever.
    public let serial: Int64
    /// The work.
    public let source: Source
    /// The input, if there is one.
    public let input: CELValue?
    /// The attempts, if the definition names them.
    public let retry: Retry?
    /// The time limit of an attempt in milliseconds; nil for the host's default.
    public let timeout: Int64?
}
