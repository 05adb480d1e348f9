import GroveAccess
public import GroveEngine
import GroveWire
import OrderedJSON

/// The state that all connections of one queue share: limits, encoders with their buffers, the
/// decoder with its memory, and the present time. Its owner sets ``now`` before each burst.
public struct ProtocolContext: ~Copyable {
    /// The present bounds: ``configuredLimits``, except unsent bytes while memory is short.
    public private(set) var limits: ServerLimits
    /// The configured bounds. Those in the greeting hold for new connections.
    public private(set) var configuredLimits: ServerLimits
    /// The bytes that all connections hold. The owner of the sockets counts them.
    package var buffers: BufferBudget
    public let node: String
    public var now: Moment
    /// The same in microseconds since any fixed moment; 0 without measurements.
    public var microseconds: Int64 = 0
    /// The server's health.
    package var health = ServerHealth()
    /// The server's numbers over time. The owner of the sockets adds to it.
    package var series = StatsSeries()
    package private(set) var linesReceived: Int64 = 0
    /// The number of requests of all connections without a reply of the engine.
    package private(set) var outstanding = 0
    /// Bytes of their lines.
    package private(set) var outstandingBytes = 0

    /// The accounts, by which each request is decided.
    package internal(set) var access = AccessDirectory()
    /// What a client can show to say who it is, besides an identity of its own.
    package var waysToAuthenticate: [String] {
        get { replies.waysToAuthenticate }
        set { replies.waysToAuthenticate = newValue }
    }
    /// What the principals use, by number, as far as somebody has asked.
    var uses: [UInt32: PrincipalUse] = [:]
    /// Those whose connections may be read again.
    var relieved: [PrincipalUse] = []
    /// Tokens that were used on another day than before, for the engine.
    private var usedTokens: [TokenID: Int64] = [:]
    /// Tokens whose use on a day was reported.
    private var reportedTokens: [TokenID: Int64] = [:]
    /// Tokens that weren't right, of all connections.
    package private(set) var wrongTokens: Int64 = 0

    /// Refused requests of clients that are known.
    package var refusals = LogNotes<AccessRefusal>()
    /// Clients that were refused before they said who they are. They are kept apart, so that many
    /// of them don't take the place of the others.
    package var strangers = LogNotes<Stranger>()
    /// Whether ``refusals`` or ``strangers`` has some. To be asked first: each call of the generic
    /// ``LogNotes/take()`` from another module looks up types at run time.
    package var hasLogNotes: Bool { !refusals.noted.isEmpty || !strangers.noted.isEmpty }

    /// Makes the tokens of the op `token`; `nil` where there is nothing to make them from.
    package var makeToken: (@Sendable () -> BearerToken)? {
        get { decoder.makeToken }
        set { decoder.makeToken = newValue }
    }

    var decoder: RequestDecoder
    var replies: ReplyEncoder
    var publications: PublicationEncoder

    /// The context of a server over one log.
    ///
    /// - Parameters:
    ///   - catalogue: The machines it hosts.
    ///   - log: The id of its log, part of every cursor.
    ///   - node: Its name in the greeting.
    ///   - limits: The bounds of the wire.
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

    /// Sets the witness that records the instance whose event is decoded: decoding runs code of its
    /// machine.
    package mutating func setWitness(_ witness: (any StepWitness & Sendable)?) {
        decoder.witness = witness
    }

    /// Leaves the events of these instances and machines undecoded, because their code has ended
    /// the process before.
    ///
    /// - Parameter setAside: The number of instances and machines that are set aside now.
    package mutating func withhold(_ subjects: [HoldSubject], setAside: Int) {
        health.setAside = setAside
        if decoder.withheld.count != subjects.count
            || !subjects.allSatisfy(decoder.withheld.contains)
        {
            decoder.withheld = Set(subjects)
        }
    }

    /// Changes the machines while connections are open. Call it before the replies are written that
    /// tell of the change.
    package mutating func change(_ catalogue: Catalogue) { decoder.change(catalogue) }

    /// Notes that another thread gets the requests that were decoded so far, so that later ones
    /// share no memory with them.
    package mutating func endTurn() { decoder.endTurn() }

    /// Changes the accounts while connections are open. Then call
    /// ``ConnectionMachine/accountsChanged(using:)`` for each, before the replies are written that
    /// tell of the change.
    package mutating func change(_ accounts: AccountsTable) {
        access.change(accounts)
        replies.names = accounts
        publications.names = accounts
        reportedTokens = reportedTokens.filter { accounts.tokens[$0.key] != nil }
        changeQuotas()
    }

    /// The refusal of somebody who hasn't said who they are, or not rightly.
    func unauthenticated(_ message: String) -> WireError { replies.unauthenticated(message) }

    mutating func countWrongToken() { wrongTokens += 1 }

    /// Notes that a token is used, once a day.
    mutating func noteUse(of token: StoredToken) {
        let day = now.time.milliseconds / 86_400_000
        guard token.lastUsed ?? .min < day, reportedTokens[token.id] != day else { return }
        reportedTokens[token.id] = day
        usedTokens[token.id] = day
    }

    /// The tokens that were used since the last call, each with the day.
    package mutating func takeUsedTokens() -> [TokenID: Int64] {
        guard !usedTokens.isEmpty else { return [:] }
        defer { usedTokens = [:] }
        return usedTokens
    }

    /// Adapts ``limits`` to the memory pressure of ``buffers``.
    ///
    /// - Returns: The new bound of a connection's unsent bytes; `nil` if it didn't change.
    package mutating func applyMemoryPressure() -> Int? {
        let bytes = buffers.pendingBytesMax(configuredLimits.pendingBytesMax)
        guard bytes != limits.pendingBytesMax else { return nil }
        limits.pendingBytesMax = bytes
        return bytes
    }

    /// Changes the bounds while connections are open. The longest line and the heartbeat of a
    /// connection stay as its greeting said. `pendingBytesMax` stays too: the engine uses it.
    /// Call ``applyMemoryPressure()`` afterwards.
    package mutating func change(limits changed: ServerLimits) {
        let (configured, present) = (configuredLimits.pendingBytesMax, limits.pendingBytesMax)
        configuredLimits = changed
        configuredLimits.pendingBytesMax = configured
        limits = changed
        limits.pendingBytesMax = present
        buffers.change(bytesMax: changed.bufferBytesMax)
        decoder.allowLines(of: changed.lineBytesMax)
    }

    /// Encodes a publication once, for the following calls of
    /// ``ConnectionMachine/publish(to:weight:using:)``.
    package mutating func prepare(_ content: Publication.Content) {
        publications.prepare(content)
    }

    /// Counts the reply to a request whose connection is gone.
    package mutating func countLostReply() { outstanding -= 1 }

    package mutating func remove(_ connection: borrowing ConnectionMachine) {
        outstandingBytes -= connection.requests.lineBytes
        connection.countUse(-1)
        if let use = connection.use { note(use) }
    }

    package var traffic: TrafficCounts { replies.traffic }

    mutating func countLine() {
        linesReceived += 1
        if let op = decoder.op { replies.traffic.count(op) }
    }

    /// Counts the time from the arrival of an event to its reply.
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

    /// Whether a connection may have no more waiting requests, `await` and `settle`. Waiting
    /// requests leave half of the room to others, and each connection leaves most of the free room
    /// to other connections.
    ///
    /// - Parameter lineBytes: Bytes of the new request's line.
    @inline(__always) func isOverloadedForWaiting(_ table: RequestTable, lineBytes: Int) -> Bool {
        let free = limits.outstandingMax / 2 - outstanding
        let freeBytes = ServerLimits.outstandingBytesMax / 2 - outstandingBytes
        guard free > 0, freeBytes > 0 else { return true }
        let share = max(ServerLimits.waitingRequestsMin, free / ServerLimits.waitingShares)
        let bytes = max(ServerLimits.waitingBytesMin, freeBytes / ServerLimits.waitingShares)
        return table.waiting >= share || table.waitingBytes + lineBytes > bytes
    }

    /// Whether the requests of all connections are at their bound.
    @inline(__always) var isOverloaded: Bool {
        outstanding >= limits.outstandingMax
            || outstandingBytes >= ServerLimits.outstandingBytesMax
    }
}
