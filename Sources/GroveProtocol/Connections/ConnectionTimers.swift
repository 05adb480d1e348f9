import GroveWire
import OrderedJSON

/// The times of one connection, in milliseconds of uptime.
struct ConnectionTimers: Sendable {
    /// The time without sending before a heartbeat, as the greeting said.
    var heartbeatMilliseconds: Int64
    /// How the connection shows that it is alive.
    var heartbeat = ConnectionMachine.Heartbeat.answered
    /// The time of the last write to the outbound buffer.
    var lastSent: Int64
    /// The last time that the kernel or the client accepted bytes, or that there were none.
    var lastProgress: Int64
    /// Bytes that the client has accepted, at the last time that it had accepted as many as a
    /// connection may always have unsent since the time before; and that time.
    var lastShare: (bytes: Int, at: Int64)
    /// Bytes that the client has accepted, at the last look.
    var acceptedBytes = 0
    /// Heartbeats since the client's last line.
    var unanswered = 0
    /// Whether the client's stream has ended, perhaps after bytes that weren't read.
    var hasEnded = false
    /// Whether a half-closed client was asked whether it is there.
    var hasAskedHalfClosed = false
    var beats: Int64 = 0
    /// The time since which the outbound buffer is full.
    var fullSince: Int64?
    /// The time since which it is closing, with bytes that the client hasn't accepted.
    var closingSince: Int64?
    /// The time of the unfinished line's first byte; `nil` between lines.
    var lineStarted: Int64?
    /// Whether the server stopped reading within that line because memory was short.
    var wasLineHeld = false
    /// The time since which it holds more than its share while memory is short.
    var overSince: Int64?

    init(now: Int64, heartbeatMilliseconds: Int64) {
        self.heartbeatMilliseconds = heartbeatMilliseconds
        lastSent = now
        lastProgress = now
        lastShare = (0, now)
    }

    mutating func lineReceived() { unanswered = 0 }

    mutating func sent(_ now: Int64) { lastSent = now }

    mutating func updateLine(isInside: Bool, isNew: Bool, now: Int64) {
        if !isInside {
            lineStarted = nil
        } else if isNew || lineStarted == nil {
            lineStarted = now
            wasLineHeld = false
        }
    }
}

extension ConnectionMachine {
    /// How a connection shows that it is alive while there is nothing to send.
    package enum Heartbeat: Sendable {
        /// By pings that the client answers, with a line or in another way.
        case answered
        /// By pings that no client answers, such as those of a stream.
        case unanswered
        /// It doesn't, because the client asks and waits.
        case none
    }

    /// Changes how the connection shows that it is alive.
    ///
    /// - Parameters:
    ///   - heartbeat: The new way.
    ///   - milliseconds: The time without sending before a ping; `nil` for the present one.
    package mutating func change(_ heartbeat: Heartbeat, milliseconds: Int64? = nil) {
        timers.heartbeat = heartbeat
        timers.unanswered = 0
        if let milliseconds { timers.heartbeatMilliseconds = milliseconds }
    }

    /// Records that the client has answered a ping in another way than by a line.
    package mutating func recordAnswer() { timers.lineReceived() }

    /// Notes that the client's stream has ended, while it isn't read up to there.
    package mutating func noteEnd() { timers.hasEnded = true }

    /// Records that the kernel accepted bytes of ``outbound``.
    public mutating func recordProgress(using context: inout ProtocolContext) {
        timers.lastProgress = context.now.uptime
        if !isFull(context) { timers.fullSince = nil }
    }

    /// Records how many bytes the client itself has accepted, beyond the kernel's buffer.
    ///
    /// The kernel says that it accepts more only when a good part of its buffer is free, which
    /// takes a slow client minutes. Call it before ``tick(using:)`` while ``hasUnsent``.
    ///
    /// - Parameter bytes: All bytes that were sent, less those that the client hasn't confirmed.
    public mutating func recordAccepted(
        _ bytes: Int, using context: borrowing ProtocolContext
    ) {
        let now = context.now.uptime
        if bytes > timers.acceptedBytes { timers.lastProgress = now }
        timers.acceptedBytes = bytes
        if bytes - timers.lastShare.bytes >= ServerLimits.shareBytesMin {
            timers.lastShare = (bytes, now)
        }
        // The kernel counts its own overhead on Unix sockets, so the number may fall.
        timers.lastShare.bytes = min(timers.lastShare.bytes, bytes)
    }

    /// Sends heartbeats, checks deadlines, and releases memory of an idle connection. Call it about
    /// once per second.
    public mutating func tick(using context: inout ProtocolContext) {
        let now = context.now.uptime
        let limits = context.limits
        window.isDue = window.unreported > 0
        let isLate = isClosingForLong(context)
        if isLate || isFullForLong(context) || isStuck(now) || isHoldingMemory(context, now) {
            if closing == nil { close(.slowConsumer) } else { abandon() }
        }
        guard closing == nil else { return }
        if isOverShare(context) { timers.wasLineHeld = true }
        checkAccess(using: &context)
        checkLine(context, now)
        checkShare(context, now)
        if !hasUnsent {
            timers.lastProgress = now
            timers.lastShare.at = now
            beat(now, isRead: wantsInput(limits) && !isOverShare(context))
            outbound.releaseIdleMemory()
        }
        framer.releaseIdleMemory()
        requests.releaseIdleMemory()
    }

    /// Whether the unsent bytes are at their bound. While memory is short, replies that wait for
    /// earlier ones count too.
    @inline(__always) private func isFull(_ context: borrowing ProtocolContext) -> Bool {
        let held = context.buffers.isShort ? heldBytes : 0
        return outbound.count + held >= context.limits.pendingBytesMax
    }

    /// Whether it was full for the time of a slow consumer, also while it is closing.
    private mutating func isFullForLong(_ context: borrowing ProtocolContext) -> Bool {
        let now = context.now.uptime
        guard isFull(context) else {
            timers.fullSince = nil
            return false
        }
        let since = timers.fullSince ?? now
        timers.fullSince = since
        return now - since >= context.limits.slowConsumerMilliseconds
    }

    /// Whether it has been closing for the time of a slow consumer while bytes wait. Clients that
    /// end by themselves may read their replies as slowly as others.
    private mutating func isClosingForLong(_ context: borrowing ProtocolContext) -> Bool {
        guard let closing, closing != .clientClosed, closing != .httpClosed, hasUnsent else {
            timers.closingSince = nil
            return false
        }
        let now = context.now.uptime
        let since = timers.closingSince ?? now
        timers.closingSince = since
        return now - since >= context.limits.slowConsumerMilliseconds
    }

    /// Whether the kernel hasn't accepted all that was written.
    public var hasUnsent: Bool { !outbound.isEmpty || transportBytes > 0 }

    /// Whether the client accepted no byte for the time of three heartbeats of its greeting.
    private func isStuck(_ now: Int64) -> Bool {
        var limits = ServerLimits()
        limits.heartbeatMilliseconds = timers.heartbeatMilliseconds
        return hasUnsent && now - timers.lastProgress >= limits.stuckMilliseconds
    }

    /// Whether the client has accepted next to nothing for some time while memory is short, and
    /// holds some.
    private func isHoldingMemory(_ context: borrowing ProtocolContext, _ now: Int64) -> Bool {
        context.buffers.isShort && hasUnsent && bufferedBytes > ServerLimits.shareBytesMin
            && now - timers.lastShare.at >= ServerLimits.holdingMilliseconds
    }

    private mutating func checkLine(_ context: borrowing ProtocolContext, _ now: Int64) {
        guard let started = timers.lineStarted else { return }
        // The server doesn't read, and not for lack of memory: the line's time begins later.
        if !wantsInput(context.limits), !isOverShare(context) {
            timers.lineStarted = now
            return
        }
        // A shortage ends when slow consumers are closed, so a line that fell into one gets their
        // time on top.
        let extra = timers.wasLineHeld ? context.limits.slowConsumerMilliseconds : 0
        if now - started >= context.limits.lineMilliseconds + extra { close(.lineTimeout) }
    }

    /// Closes a client that holds more than its share for too long, by any means: for example with
    /// lines that wait while it has `max-inflight` requests.
    private mutating func checkShare(_ context: borrowing ProtocolContext, _ now: Int64) {
        guard closing == nil, isOverShare(context) else {
            timers.overSince = nil
            return
        }
        let since = timers.overSince ?? now
        timers.overSince = since
        let limits = context.limits
        if now - since >= limits.slowConsumerMilliseconds + limits.lineMilliseconds {
            close(.slowConsumer)
        }
    }

    /// Whether nothing but its end would end what a half-closed client waits for. Whether it has
    /// closed both sides shows when something is sent to it.
    private var staysHalfClosed: Bool {
        (isHalfClosed || timers.hasEnded) && (subscriptions > 0 || requests.waiting > 0)
    }

    /// Sends a heartbeat when it is due, and to a half-closed client once at the beginning. Only a
    /// client whose socket is read can answer: not a half-closed one, and not one with
    /// `max-inflight` requests. Sending still shows whether it is there.
    private mutating func beat(_ now: Int64, isRead: Bool) {
        guard timers.heartbeat != .none else { return }
        let asks = staysHalfClosed && !timers.hasAskedHalfClosed
        guard asks || now - timers.lastSent >= timers.heartbeatMilliseconds else { return }
        if asks { timers.hasAskedHalfClosed = true }
        if isRead, timers.heartbeat == .answered {
            guard timers.unanswered < ServerLimits.heartbeatMissesMax else {
                close(.heartbeatTimeout)
                return
            }
            timers.unanswered += 1
        }
        timers.beats += 1
        ReplyEncoder.append("ping", "t", timers.beats, as: shape, into: &outbound.writer)
        timers.sent(now)
    }
}
