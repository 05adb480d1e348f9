/// What a ``Client`` needs to know before its first request.
public struct ClientOptions: Hashable, Sendable {
    /// Where the server listens; `127.0.0.1:7400` by default.
    public var server: ServerAddress
    /// How long looking up the name, connecting and the server's greeting may take together.
    /// Where a name has several addresses, each gets its share of the time.
    public var connectTimeout: Duration
    /// How long a request may take, connecting and repeating included, unless the call says
    /// otherwise.
    public var requestTimeout: Duration
    /// When to try again while the server is away.
    public var reconnect: ReconnectPolicy
    /// Which calls are sent again, and in what order.
    public var retry: RetryPolicy
    /// How many calls may wait for their answers; one more fails with
    /// ``ClientError/queueFull(_:)``. At least 1.
    public var callsMax: Int
    /// How many bytes the lines of these calls may have together; one call is taken in any case.
    public var callBytesMax: Int
    /// How many records of one subscription may be on their way or waiting to be taken, at
    /// least 1. The server sends no more until the consumer has taken some. They are counted, not
    /// weighed: where outputs are large, less is enough, for so many of them may be in memory.
    public var credit: Int
    /// What the client calls itself in its hello, for the server's log.
    public var name: String
    /// The secret for servers that ask for one.
    public var token: String?
    /// The longest line taken from the server, in bytes; a longer one ends the connection.
    public var lineBytesMax: Int

    /// Options with their defaults: 5 s to connect, 10 s for a request, calls repeated
    /// within that time, 16,384 of them or 64 MiB at a time, credit for 256 records.
    public init(
        server: ServerAddress = .standard, connectTimeout: Duration = .seconds(5),
        requestTimeout: Duration = .seconds(10), reconnect: ReconnectPolicy = ReconnectPolicy(),
        retry: RetryPolicy = RetryPolicy(), callsMax: Int = 16_384,
        callBytesMax: Int = 1 << 26, credit: Int = 256, name: String = "grove-swift",
        token: String? = nil, lineBytesMax: Int = 1 << 26
    ) {
        self.server = server
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.reconnect = reconnect
        self.retry = retry
        self.callsMax = callsMax
        self.callBytesMax = callBytesMax
        self.credit = credit
        self.name = name
        self.token = token
        self.lineBytesMax = lineBytesMax
    }
}
