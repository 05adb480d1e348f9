/// The options of a ``Client``.
public struct ClientOptions: Hashable, Sendable {
    /// The server's address; `127.0.0.1:7400` by default.
    public var server: ServerAddress
    /// What a server at `tls:HOST:PORT` has to prove, and what the client shows it. Servers at
    /// other addresses must have no such options.
    public var tls: TLSOptions
    /// The longest time for the lookup of the name, connecting, a TLS handshake and the server's
    /// greeting together. If a name has several addresses, each gets its share of the time.
    public var connectTimeout: Duration
    /// The longest time for a request, connecting and repeats included, unless the call has
    /// another timeout.
    public var requestTimeout: Duration
    /// The pauses between attempts while the server is away.
    public var reconnect: ReconnectPolicy
    /// The calls that are sent again, and their order.
    public var retry: RetryPolicy
    /// The largest number of calls without an answer; one more fails with
    /// ``ClientError/queueFull(_:)``. At least 1.
    public var callsMax: Int
    /// The largest number of bytes in the lines of these calls in total; a single call always fits.
    public var callBytesMax: Int
    /// The largest number of records of one subscription on their way or waiting for the consumer,
    /// at least 1. The server sends no more until the consumer has read some. The bound counts
    /// records, not bytes: choose less if outputs are large, because all may be in memory.
    public var credit: Int
    /// The client's name in its hello, for the server's log.
    public var name: String
    /// Who the client is, for servers that ask. It goes through TLS, to this machine or to a Unix
    /// socket; elsewhere nothing is sent (``ClientError/tokenNeedsTLS(_:)``). It is never printed.
    public var token: ClientToken?
    /// The longest line accepted from the server, in bytes; a longer one ends the connection.
    public var lineBytesMax: Int

    /// Options with their defaults: 5 s to connect, 10 s for a request, calls repeated
    /// within that time, 16,384 of them or 64 MiB at a time, credit for 256 records.
    public init(
        server: ServerAddress = .standard, tls: TLSOptions = TLSOptions(),
        connectTimeout: Duration = .seconds(5), requestTimeout: Duration = .seconds(10),
        reconnect: ReconnectPolicy = ReconnectPolicy(),
        retry: RetryPolicy = RetryPolicy(), callsMax: Int = 16_384,
        callBytesMax: Int = 1 << 26, credit: Int = 256, name: String = "grove-swift",
        token: ClientToken? = nil, lineBytesMax: Int = 1 << 26
    ) {
        self.server = server
        self.tls = tls
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
