public import GroveEngine

/// A reading of the clocks, handed in; nothing in this target reads one.
public struct Moment: Sendable, Equatable {
    /// Milliseconds of a clock that never jumps, for waiting.
    public var uptime: Int64
    /// The wall clock, for texts.
    public var time: Timestamp

    /// Puts the two together.
    public init(uptime: Int64, time: Timestamp) {
        self.uptime = uptime
        self.time = time
    }
}

/// What all connections of one queue share: limits, encoders with their buffers, the decoder
/// with its memory, and the present moment. Whoever owns it sets ``now`` before each burst.
public struct ProtocolContext: Sendable {
    /// The bounds that hold for every connection; of what a greeting tells, for those to come.
    public private(set) var limits: ServerLimits
    /// The server's name in the greeting.
    public let node: String
    /// When what is being handled happens.
    public var now: Moment
    /// Lines taken from all connections.
    public private(set) var linesTaken: Int64 = 0
    /// Requests of all connections that the engine has not answered.
    public private(set) var outstanding = 0
    /// Bytes of their lines.
    public private(set) var outstandingBytes = 0

    var decoder: RequestDecoder
    var replies: ReplyEncoder
    var publications: PublicationEncoder
    var times = TimestampText()

    /// The context of a server over one log.
    ///
    /// - Parameters:
    ///   - catalogue: The machines it hosts.
    ///   - log: The id of its log, part of every cursor.
    ///   - node: Its name in the greeting.
    ///   - limits: The bounds of the wire.
    ///   - now: The moment it is made.
    public init(
        catalogue: Catalogue, log: LogID, node: String, limits: ServerLimits, now: Moment
    ) {
        self.limits = limits
        self.node = node
        self.now = now
        let cursors = CursorText(log: log)
        decoder = RequestDecoder(
            catalogue: catalogue, cursors: cursors, lineBytesMax: limits.lineBytesMax)
        replies = ReplyEncoder(cursors: cursors)
        publications = PublicationEncoder(cursors: cursors)
    }

    /// Takes other bounds while connections are open. The longest line and the heartbeat of a
    /// connection stay what its greeting said; `pendingBytesMax` can't change, because the engine
    /// counts with it, too.
    public mutating func change(limits changed: ServerLimits) {
        precondition(
            changed.pendingBytesMax == limits.pendingBytesMax, "this bound needs a restart")
        limits = changed
        decoder.allowLines(of: changed.lineBytesMax)
    }

    /// Writes what all recipients of a publication share, for the calls of
    /// ``ConnectionMachine/publish(to:weight:using:)`` that follow.
    public mutating func prepare(_ content: Publication.Content) {
        publications.prepare(content)
    }

    /// Takes note of an answer for a connection that is gone.
    public mutating func forgetRequest() { outstanding -= 1 }

    /// Takes note of a connection that is gone: nobody waits for its requests any more.
    public mutating func forget(_ connection: borrowing ConnectionMachine) {
        outstandingBytes -= connection.requests.lineBytes
    }

    mutating func countLine() { linesTaken += 1 }

    mutating func countRequest(_ bytes: Int) {
        outstanding += 1
        outstandingBytes += bytes
    }

    mutating func countReply(_ bytes: Int) {
        outstanding -= 1
        outstandingBytes -= bytes
    }

    /// Whether no more requests may wait for something that may take long, `await` and `settle`:
    /// they leave half of the room to the others.
    var isOverloadedForWaiting: Bool {
        outstanding >= limits.outstandingMax / 2
            || outstandingBytes >= ServerLimits.outstandingBytesMax / 2
    }

    /// Whether no more requests may wait for the engine.
    var isOverloaded: Bool {
        outstanding >= limits.outstandingMax
            || outstandingBytes >= ServerLimits.outstandingBytesMax
    }
}
