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

    /// Requests of all connections without their reply: what may wait while a commit hangs. Past
    /// it requests are answered `OVERLOADED`.
    public var outstandingMax = 65_536

    /// Open connections: the number the memory ceiling is computed with.
    public var connectionsMax = 10_240

    /// Open connections from one address: what one client can take from the others. Of IPv6
    /// addresses the first half counts; Unix sockets have none.
    public var connectionsPerPeerMax = 1_024

    /// Bytes of all connections that were read and are no requests yet, or are not sent. From
    /// half of it on each connection has its share instead of ``pendingBytesMax``.
    public var bufferBytesMax = 256 << 20

    /// Time without sending after which a heartbeat is sent, in milliseconds.
    public var heartbeatMilliseconds: Int64 = 30_000

    /// Time that a connection's outbound buffer may stay full, in milliseconds.
    public var slowConsumerMilliseconds: Int64 = 30_000

    /// Time from the first byte of a line to its newline, in milliseconds, not lengthened by
    /// more bytes: a client that dribbles holds a connection for no longer.
    public var lineMilliseconds: Int64 = 10_000

    /// The defaults.
    public init() {}

    /// Time after which a client is given up that takes nothing at all of what it is sent, in
    /// milliseconds: it can't answer heartbeats either, so it gets their time.
    public var stuckMilliseconds: Int64 {
        heartbeatMilliseconds * Int64(Self.heartbeatMissesMax + 1)
    }

    /// Bytes of one line after which its sender is cut off: skipping is free, but endless.
    public static let lineBytesHard = 16 << 20

    /// Heartbeats a client may leave unanswered before it is cut off.
    public static let heartbeatMissesMax = 2

    /// Unsent bytes that a connection may have however short memory is: some replies.
    public static let shareBytesMin = 16 << 10

    /// Silence of the engine after which the server isn't healthy: with the second between two
    /// looks at it less than the five seconds in which a hung disk is to show.
    public static let stallMilliseconds: Int64 = 3_000

    /// Lines of one connection that are taken in one go, so that the others get their turn: as
    /// many as it may have requests under way. A thousand empty ones count as sixteen.
    public static let linesPerTurnMax = 1_024

    /// Nesting of a line, the request object counted as 1.
    public static let depthMax = 64

    /// JSON values of one line: bounds the index that a hostile line of a megabyte makes.
    public static let valuesMax = 100_000

    /// Bytes that a connection without traffic may keep allocated for a partial line.
    public static let idleBufferBytesMax = 4 << 10

    /// Bytes that a busy connection keeps allocated for replies between two bursts.
    public static let busyBufferBytesMax = 256 << 10

    /// Bytes of an event whose decoding is remembered; longer ones are rarely sent twice.
    public static let rememberedEventBytesMax = 64

    /// Events remembered of each machine: the vocabulary of most, and 32 KiB at most.
    public static let rememberedEventsMax = 256

    /// Bytes of all lines whose requests have no reply yet: what may wait in memory while a commit
    /// hangs, whatever the lines' sizes. Past it requests are answered `OVERLOADED`.
    public static let outstandingBytesMax = 64 << 20

    /// Of the requests that may still wait for long, `await` and `settle`, and of the bytes of
    /// their lines, one connection has one part of so many: whoever comes later finds room.
    public static let waitingShares = 8

    /// Requests that one connection may have wait as long as any may.
    public static let waitingRequestsMin = 16

    /// Bytes of their lines, likewise.
    public static let waitingBytesMin = 16 << 10

    /// Bytes that are read from one connection in one go, and while memory is short.
    public static let readBytesMax = 128 << 10
    /// See ``readBytesMax``.
    public static let shortReadBytesMax = 16 << 10

    /// Bytes of large replies that the engine gives to the queue of sockets before it takes more
    /// requests: some milliseconds of writing, behind which the reply to anybody else waits.
    public static let undeliveredBytesMax = 4 << 20

    /// Bytes of replies and records that are written to buffers before they are sent and counted.
    public static let uncountedBytesMax = 8 << 20
}
