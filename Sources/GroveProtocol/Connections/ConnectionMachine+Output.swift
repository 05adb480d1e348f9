import GroveAccess
public import GroveEngine
import GroveWire
import OrderedJSON

extension ConnectionMachine {
    public mutating func greet(using context: inout ProtocolContext) {
        let limits = context.configuredLimits
        outbound.writer.literal(#"{"op":"hello","server":"grove","version":""#)
        outbound.writer.raw(ProtocolVersion.server.utf8)
        outbound.writer.literal(#"","proto":[1]"#)
        outbound.writer.member("node", context.node)
        outbound.writer.member("auth_required", access.isUnknown)
        if isReadOnly { outbound.writer.member("writes", false) }
        outbound.writer.literal(#","features":["jsonrpc","auth"]"#)
        outbound.writer.member("max_line", Int64(limits.lineBytesMax))
        outbound.writer.member("max_inflight", Int64(limits.inflightMax))
        outbound.writer.member("max_pending", Int64(limits.pendingBytesMax))
        outbound.writer.member("heartbeat_ms", limits.heartbeatMilliseconds)
        context.replies.times.append(context.now.time, as: #","time":""#, to: &outbound.writer)
        outbound.writer.literal("}\n")
        timers.sent(context.now.uptime)
    }

    /// Writes the engine's reply to the request with this token. Returns the bytes by which the
    /// buffers have grown.
    ///
    /// - Precondition: ``receive(_:into:using:)`` gave out the token, and it has no reply yet.
    @discardableResult public mutating func deliver(
        _ reply: Reply, to token: UInt32, using context: inout ProtocolContext
    ) -> Int {
        let before = bufferedBytes
        write(reply, to: token, using: &context)
        return bufferedBytes - before
    }

    private mutating func write(
        _ reply: Reply, to token: UInt32, using context: inout ProtocolContext
    ) {
        let slot = requests[token]
        context.countReply(requests.removeLineBytes(token))
        countReply(using: &context)
        window.posted.replies += reply.weight
        countSubscriptions(reply, slot)
        if case .sent = reply {
            context.countAck(since: slot.arrival)
        } else if case .failure(.forbidden(let verb)) = reply {
            context.refusals.note(refusal(of: slot.op, .noGrant(verb: verb)))
        }
        // One event may answer a thousand waiting requests, each with a megabyte.
        let isTooMuch =
            slot.waits && outbound.count + heldBytes >= context.limits.pendingBytesMax
        let written = isTooMuch ? reply.unsettled(isRepeatable: slot.isRepeatable) : reply
        if slot.isOrdered, requests.next != token {
            var writer = JSONWriter()
            context.replies.append(
                written, to: slot.answer, as: slot.shape, into: &writer)
            heldBytes += writer.bytes.count
            requests[token].held = writer.bytes
            return
        }
        if slot.answer != .none, sendsReplies {
            context.replies.append(
                written, to: slot.answer, as: slot.shape, into: &outbound.writer)
            timers.sent(context.now.uptime)
        }
        requests.release(token)
        if slot.isOrdered {
            requests.advanceOrder()
            releaseHeld()
        }
        closeIfFinished()
    }

    /// Whether replies to accepted requests are still sent.
    private var sendsReplies: Bool {
        switch closing {
        case nil, .unsupportedProto, .unauthenticated, .expired: true
        default: false
        }
    }

    /// Writes the held replies that waited for this one.
    private mutating func releaseHeld() {
        while let token = requests.next, let bytes = requests[token].held {
            if sendsReplies { outbound.writer.raw(bytes) }
            heldBytes -= bytes.count
            requests.release(token)
            requests.advanceOrder()
        }
    }

    private mutating func countSubscriptions(_ reply: Reply, _ slot: RequestTable.Slot) {
        if slot.endsSubscription {
            if case .done = reply { countSubscription(-1) }
        } else if slot.beginsSubscription {
            access.subscriptionsBegun -= 1
            if case .subscribed = reply {
                subscriptions += 1
            } else {
                access.use?.count(subscriptions: -1)
            }
        }
    }

    /// Writes the record or mark that was prepared last, for one of the client's subscriptions.
    ///
    /// - Parameters:
    ///   - weight: The weight of the publication (`Publication.weight`).
    ///   - context: The context in which the publication was prepared.
    package mutating func publish(
        to recipient: Publication.Recipient, weight: Int, using context: inout ProtocolContext
    ) {
        guard closing == nil else { return }
        context.publications.append(
            recipient.subscription, as: LineShape(rawValue: recipient.tag) ?? .plain,
            showsSenders: recipient.showsSenders, into: &outbound.writer)
        window.posted.records += weight
        timers.sent(context.now.uptime)
    }

    /// Returns the weights that the client has accepted, if a report to the engine is due. A busy
    /// connection reports once per sixteenth of its bound, or of an eighth of its share of all
    /// buffers; once per second, however little it was.
    @inline(__always) package mutating func makeWindowReport(
        _ context: borrowing ProtocolContext
    ) -> DeliveryReport? {
        let limits = context.limits
        let share = limits.bufferBytesMax / 8 / max(1, context.buffers.connections)
        let enough = max(1, min(limits.pendingBytesMax / 16, share))
        let unsent = outbound.count + heldBytes
        guard
            window.unreported >= enough && unsent < limits.pendingBytesMax / 4
                || window.unreported > 0 && window.isDue && unsent == 0
        else { return nil }
        window.isDue = false
        return window.report()
    }
}

extension Reply {
    /// The refusal of a request whose reply is too much for its connection; its event stays
    /// applied.
    fileprivate func unsettled(isRepeatable: Bool) -> Reply {
        guard case .sent(let sent) = self else {
            return .failure(.timeout(isRepeatable: isRepeatable))
        }
        return .failure(
            .unsettled(
                version: sent.version, cursor: sent.cursor, isRepeatable: isRepeatable))
    }
}
