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
    /// The bounds that hold for every connection now: ``configuredLimits``, but for unsent bytes
    /// while memory is short.
    public private(set) var limits: ServerLimits
    /// The bounds as they are configured; of what a greeting tells, for connections to come.
    public private(set) var configuredLimits: ServerLimits
    /// What connections hold together. Whoever owns the sockets counts it.
    public var buffers: BufferBudget
    /// The server's name in the greeting.
    public let node: String
    /// When what is being handled happens.
    public var now: Moment
    /// The same by a finer clock, in microseconds that count from any moment; 0 where nobody
    /// measures.
    public var microseconds: Int64 = 0
    /// What the server knows about itself.
    public var health = ServerHealth()
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
        configuredLimits = limits
        buffers = BufferBudget(bytesMax: limits.bufferBytesMax)
        self.node = node
        self.now = now
        let cursors = CursorText(log: log)
        decoder = RequestDecoder(
            catalogue: catalogue, cursors: cursors, lineBytesMax: limits.lineBytesMax)
        replies = ReplyEncoder(cursors: cursors)
        publications = PublicationEncoder(cursors: cursors)
    }

    /// Has it noted whose events are being read: reading them is code of their machines.
    public mutating func witness(by witness: (any StepWitness & Sendable)?) {
        decoder.witness = witness
    }

    /// Leaves the events of these instances and machines unread, because their code has ended the
    /// process; so many of them are set aside now.
    public mutating func withhold(_ subjects: [HoldSubject], setAside: Int) {
        health.setAside = setAside
        if decoder.withheld.count != subjects.count
            || !subjects.allSatisfy(decoder.withheld.contains)
        {
            decoder.withheld = Set(subjects)
        }
    }

    /// Brings ``limits`` up to date with ``buffers``.
    ///
    /// - Returns: Unsent bytes that a connection may have, when that is another number now.
    public mutating func followBuffers() -> Int? {
        let bytes = buffers.pendingBytesMax(configuredLimits.pendingBytesMax)
        guard bytes != limits.pendingBytesMax else { return nil }
        limits.pendingBytesMax = bytes
        return bytes
    }

    /// Takes other bounds while connections are open. The longest line and the heartbeat of a
    /// connection stay what its greeting said; `pendingBytesMax` stays as it is, because the engine
    /// counts with it, too. ``followBuffers()`` says what the bytes of all together come to.
    public mutating func change(limits changed: ServerLimits) {
        let (configured, present) = (configuredLimits.pendingBytesMax, limits.pendingBytesMax)
        configuredLimits = changed
        configuredLimits.pendingBytesMax = configured
        limits = changed
        limits.pendingBytesMax = present
        buffers.change(bytesMax: changed.bufferBytesMax)
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

    /// What was asked for and answered on all connections.
    public var traffic: TrafficCounts { replies.traffic }

    /// Takes note of a line that was just decoded.
    mutating func countLine() {
        linesTaken += 1
        if let op = decoder.op { replies.traffic.count(op) }
    }

    /// Takes note of the reply to an event that arrived then.
    mutating func countAck(since arrival: Int64) {
        if arrival > 0 { replies.traffic.countAck(microseconds - arrival) }
    }

    mutating func countRequest(_ bytes: Int) {
        outstanding += 1
        outstandingBytes += bytes
    }

    mutating func countReply(_ bytes: Int) {
        outstanding -= 1
        outstandingBytes -= bytes
    }

    /// Whether a connection may have no more requests wait for something that may take long,
    /// `await` and `settle`. They leave half of the room to the others, and each connection leaves
    /// most of what is free to other connections.
    ///
    /// - Parameters:
    ///   - table: What the connection has under way.
    ///   - lineBytes: Bytes of the line that wants to wait, too.
    func isOverloadedForWaiting(_ table: RequestTable, lineBytes: Int) -> Bool {
        let free = limits.outstandingMax / 2 - outstanding
        let freeBytes = ServerLimits.outstandingBytesMax / 2 - outstandingBytes
        guard free > 0, freeBytes > 0 else { return true }
        let share = max(ServerLimits.waitingRequestsMin, free / ServerLimits.waitingShares)
        let bytes = max(ServerLimits.waitingBytesMin, freeBytes / ServerLimits.waitingShares)
        return table.waiting >= share || table.waitingBytes + lineBytes > bytes
    }

    /// Whether no more requests may wait for the engine.
    var isOverloaded: Bool {
        outstanding >= limits.outstandingMax
            || outstandingBytes >= ServerLimits.outstandingBytesMax
    }
}
