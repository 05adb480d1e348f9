import GroveWire
import OrderedJSON

/// What a connection's clockwork remembers; all times are milliseconds of uptime.
struct ConnectionTimers: Sendable {
    /// Time without sending after which a heartbeat is sent: what the greeting said.
    let heartbeatMilliseconds: Int64
    /// When something was last put into the outbound buffer.
    var lastSent: Int64
    /// When the kernel last took bytes, or there was nothing to take.
    var lastProgress: Int64
    /// Heartbeats without an answer since the last line heard.
    var unanswered = 0
    /// Heartbeats sent.
    var beats: Int64 = 0
    /// Since when the outbound buffer has been full.
    var fullSince: Int64?
    /// When the client began the unfinished line; `nil` between lines.
    var lineStarted: Int64?
    /// Whether the server stopped reading within that line because memory was short.
    var wasLineHeld = false
    /// Since when it has held more than its share while memory is short.
    var overSince: Int64?

    init(now: Int64, heartbeatMilliseconds: Int64) {
        self.heartbeatMilliseconds = heartbeatMilliseconds
        lastSent = now
        lastProgress = now
    }

    mutating func heard() { unanswered = 0 }

    mutating func sent(_ now: Int64) { lastSent = now }

    mutating func lineStands(inside: Bool, isNew: Bool, now: Int64) {
        if !inside {
            lineStarted = nil
        } else if isNew || lineStarted == nil {
            lineStarted = now
            wasLineHeld = false
        }
    }
}

/// What happens by time alone.
extension ConnectionMachine {
    /// Takes note that the kernel accepted bytes of ``outbound``.
    public mutating func noteProgress(using context: ProtocolContext) {
        timers.lastProgress = context.now.uptime
        if !isFull(context) { timers.fullSince = nil }
    }

    /// Looks at the clock: heartbeats, deadlines, memory of idle connections. Call it about once
    /// a second.
    public mutating func tick(using context: inout ProtocolContext) {
        let now = context.now.uptime
        let limits = context.limits
        window.isDue = window.unreported > 0
        if isFullForLong(context) || isStuck(now) {
            if closing == nil { close(.slowConsumer) } else { abandon() }
        }
        guard closing == nil else { return }
        if isOverShare(context) { timers.wasLineHeld = true }
        checkLine(context, now)
        checkShare(context, now)
        if outbound.isEmpty {
            timers.lastProgress = now
            beat(now, isRead: wantsInput(limits) && !isOverShare(context))
            outbound.releaseIdleMemory()
        }
        framer.releaseIdleMemory()
        requests.releaseIdleMemory()
    }

    /// Whether as much waits to be sent as may. While memory is short, that counts too which waits
    /// for its turn under strict order.
    private func isFull(_ context: ProtocolContext) -> Bool {
        let held = context.buffers.isShort ? heldBytes : 0
        return outbound.count + held >= context.limits.pendingBytesMax
    }

    /// Whether it has been full for as long as it may be, also while it is being closed.
    private mutating func isFullForLong(_ context: ProtocolContext) -> Bool {
        let now = context.now.uptime
        guard isFull(context) else {
            timers.fullSince = nil
            return false
        }
        let since = timers.fullSince ?? now
        timers.fullSince = since
        return now - since >= context.limits.slowConsumerMilliseconds
    }

    /// Whether the client takes nothing at all, by the heartbeat that its greeting said.
    private func isStuck(_ now: Int64) -> Bool {
        var limits = ServerLimits()
        limits.heartbeatMilliseconds = timers.heartbeatMilliseconds
        return !outbound.isEmpty && now - timers.lastProgress >= limits.stuckMilliseconds
    }

    private mutating func checkLine(_ context: ProtocolContext, _ now: Int64) {
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

    /// Whatever a client holds memory with while it is short, such as lines that wait behind as
    /// many requests as it may have: it goes after the time that a line gets which isn't read.
    private mutating func checkShare(_ context: ProtocolContext, _ now: Int64) {
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

    /// Sends a heartbeat when it is time. Only one that is read can answer: neither a half-closed
    /// client nor one that the server leaves waiting, as with as many requests under way as it may
    /// have. The line shows all the same whether it is still there.
    private mutating func beat(_ now: Int64, isRead: Bool) {
        guard now - timers.lastSent >= timers.heartbeatMilliseconds else { return }
        if isRead {
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
