import GroveWire

/// Every bound of the wire, with its reason (limits.md, "Lines and connections").
/// The members of a value are configurable; the static ones are compiled in.
public struct ServerLimits: Sendable, Equatable {
    /// Bytes of one line without its newline: room for a state or definition of a megabyte, and
    /// a client that never sends a newline costs no more.
    public var lineBytesMax = 1 << 20

    /// Requests of one connection without their reply. Enough to keep a commit of 20 ms busy at
    /// 50,000 requests a second; past it the socket is not read.
    public var inflightMax = 1_024

    /// Unsent bytes of one connection. Past it nothing more is read from it; subscriptions pause
    /// at half.
    public var pendingBytesMax = 8 << 20

    /// Requests of all connections without their reply, such as during a commit that hangs. Past
    /// it requests are answered `OVERLOADED`.
    public var outstandingMax = 65_536

    /// Open connections: the number the memory ceiling is computed with.
    public var connectionsMax = 10_240

    /// Open connections from one address, so that one client can't use all. Of IPv6 addresses the
    /// first half counts; Unix sockets have no bound.
    public var connectionsPerPeerMax = 1_024

    /// Bytes of all connections that were read and are no requests yet, or that aren't sent. From
    /// half of it on, each connection has its share instead of ``pendingBytesMax``.
    public var bufferBytesMax = 256 << 20

    /// Time without sending after which a heartbeat is sent, in milliseconds.
    public var heartbeatMilliseconds: Int64 = 30_000

    /// Time that a connection's outbound buffer may stay full, in milliseconds.
    public var slowConsumerMilliseconds: Int64 = 30_000

    /// Time from the first byte of a line to its newline, in milliseconds, not lengthened by
    /// more bytes: a slow sender holds a connection for no longer.
    public var lineMilliseconds: Int64 = 10_000

    /// Connections whose TLS handshake isn't complete; past it the oldest is closed. Nobody knows
    /// yet who they are, and each costs some 20 KiB.
    public var handshakesMax = 256

    /// Those from one address; past it the oldest one of the address is closed. With
    /// ``handshakesPerSecond``, clients behind one address whose answers take a quarter of a second
    /// don't displace each other.
    public var handshakesPerPeerMax = 128

    /// Time from the acceptance of a connection to the end of its TLS handshake, in milliseconds.
    public var handshakeMilliseconds: Int64 = 5_000

    /// TLS handshakes that begin per second, because each costs a third of a millisecond of a core
    /// before anybody is known: a sixth of one.
    public var handshakesPerSecond = 500

    /// Bytes of a line of a client that must say who it is before anything else: a token with its
    /// frame, and a name.
    public static let unknownLineBytesMax = 512

    /// Lines of such a client: enough for a greeting, an `auth` and a few pings.
    public static let unknownLinesMax = 32

    /// Time in which such a client must have said it, in milliseconds: as long as a handshake.
    public static let authenticationMilliseconds: Int64 = 5_000

    /// The wait that a refusal for lack of room asks for, in milliseconds.
    static let retryMilliseconds: Int64 = 1_000

    /// Requests that such a client may send in vain before it is closed: who guesses needs more.
    public static let refusalsMax = 3

    /// Refused requests, and clients that haven't said who they are, that are noted for the log
    /// before it takes them: it writes no more lines of either kind in a second.
    static let logNotesMax = 10

    public init() {}

    /// Time after which a client that accepts no byte is closed, in milliseconds: it can't answer
    /// heartbeats either, so it gets their time.
    public var stuckMilliseconds: Int64 {
        heartbeatMilliseconds * Int64(Self.heartbeatMissesMax + 1)
    }

    /// Bytes of one line after which its sender is closed: skipping is free, but endless.
    public static let lineBytesHard = 16 << 20

    /// Heartbeats that a client may leave unanswered before it is closed.
    public static let heartbeatMissesMax = 2

    /// Unsent bytes that a connection may always have, even while memory is short: some replies.
    public static let shareBytesMin = 16 << 10

    /// Time after which a client that holds more than that while memory is short, and accepts less
    /// than that, is closed, in milliseconds: others wait for the memory, and a client that reads
    /// loses nothing by connecting again. A client's kernel confirms in parts, of 64 KiB over the
    /// loopback interface: one that reads 50 KiB/s and pauses for some seconds stays within it.
    public static let holdingMilliseconds: Int64 = 8_000

    /// Silence of the engine after which the server isn't healthy: with the second between two
    /// checks, less than the five seconds in which a hung disk must show.
    public static let stallMilliseconds: Int64 = 3_000

    /// Bytes of answers that need no engine, such as to `stats` with `series`, in one turn of a
    /// connection: twice what it may read, so that echoes don't reach it.
    public static let answerBytesPerTurnMax = 256 << 10

    /// Points of `stats` with `series`: ten minutes of seconds, which is what somebody wants to see
    /// who was called a moment ago.
    public static let pointsOfSeconds = 600

    /// The same with ten seconds each: two hours.
    public static let pointsOfTenSeconds = 720

    /// Points over which a late measurement is spread: after longer pauses nobody knows when
    /// something was counted.
    public static let latePointsMax: Int64 = 10

    /// Lines of one connection that are decoded in one turn, so that the others get theirs: as
    /// many as its requests without a reply. A thousand empty lines count as sixteen.
    public static let linesPerTurnMax = 1_024

    /// Nesting of a line, the request object counted as 1.
    public static let depthMax = 64

    /// JSON values of one line: bounds the index that a hostile line of a megabyte makes.
    public static let valuesMax = 100_000

    /// Bytes that a connection without traffic may keep allocated for a partial line.
    public static let idleBufferBytesMax = 4 << 10

    /// Bytes that a busy connection keeps allocated for replies between two bursts.
    public static let busyBufferBytesMax = OutboundBuffer.keptBytesMax

    /// Bytes of an event whose decoding is remembered; longer ones are rarely sent twice.
    public static let rememberedEventBytesMax = 64

    /// Events remembered per machine: all events of most machines, and 32 KiB at most.
    public static let rememberedEventsMax = 256

    /// Bytes of all lines whose requests have no reply yet: a bound of memory while a commit hangs,
    /// for lines of any size. Past it requests are answered `OVERLOADED`.
    public static let outstandingBytesMax = 64 << 20

    /// The divisor of the free room for long waits, `await` and `settle`, and for the bytes of
    /// their lines. One connection may use one such part, so that later ones find room.
    public static let waitingShares = 8

    /// Requests for long waits that one connection may always have, while there is room.
    public static let waitingRequestsMin = 16

    /// Bytes of their lines that it may always have.
    public static let waitingBytesMin = 16 << 10

    /// Bytes that one read from a connection returns.
    public static let readBytesMax = 128 << 10

    /// Bytes that one read returns while memory is short.
    public static let shortReadBytesMax = 16 << 10

    /// Bytes of large replies that the engine passes to the queue of sockets before it accepts more
    /// requests: some milliseconds of writing, for which all other replies wait.
    public static let undeliveredBytesMax = 4 << 20

    /// Bytes of replies and records that are written to buffers before they are sent and counted.
    public static let uncountedBytesMax = 8 << 20
}
