import GroveAccess
import GroveEngine
import GroveWire

// What the principal of a connection may use. What can wait isn't read for a while, by
// `acceptsLines`; what can't is refused.

extension ConnectionMachine {
    /// The refusal of a connection of a principal that has as many as it may.
    static let tooManyConnections = WireError.rateLimited(
        "your principal has as many connections as it may",
        retryAfter: ServerLimits.retryMilliseconds)

    /// What the client's principal uses, on all its connections; `nil` if nobody counts that.
    package var use: PrincipalUse? { access.use }

    /// Whether no line is accepted because the client's principal uses as much as it may.
    package var isHeldByQuota: Bool { access.isDecided && access.use?.isSpent == true }

    /// Whether the line of a client that sends nothing else meanwhile waits, because its principal
    /// uses as much as it may. Such a client is read, so that its end is seen.
    package var waitsForQuota: Bool { decidesEachLine && hasBacklog && isHeldByQuota }

    /// Counts the connection for the principal that its client is now, and no more for another one.
    mutating func updateUse(using context: inout ProtocolContext) {
        let wanted = access.isOverQuota ? nil : context.use(of: access.caller.principal)
        guard wanted !== access.use else { return }
        countUse(-1)
        access.use = wanted
        countUse(1)
    }

    /// Whether a line may be carried out now, of a client whose quotas don't hold back its lines
    /// yet. They don't for what says who it is, and for `ping`, of which it may send a few.
    ///
    /// - Returns: `false` if the line was refused, and the connection is closed, or if it waits.
    mutating func admits(
        _ decoded: DecodedLine, _ shape: LineShape, using context: inout ProtocolContext
    ) -> Bool {
        // It can only say who it is, has few lines, and little time.
        if access.isUnknown { return true }
        switch decoded.body {
        case .auth, .hello, .ping:
            access.unknownLines += 1
            if access.unknownLines <= ServerLimits.unknownLinesMax { return true }
        default: break
        }
        guard takeRoom(decoded.answer, shape, using: &context) else { return false }
        access.isDecided = true
        // Its time may be over, if no connection has waited for that.
        if isHeldByQuota { _ = context.endRest(of: access.caller.principal) }
        return !isHeldByQuota
    }

    /// Counts the connection for the principal that the transport shows, if there is room now. Else
    /// it is refused and closed.
    mutating func takeRoom(
        _ answer: DecodedLine.Answer, _ shape: LineShape, using context: inout ProtocolContext
    ) -> Bool {
        guard access.isOverQuota else { return true }
        guard context.hasRoomForConnection(of: access.caller.principal) else {
            let told = answer == .none ? DecodedLine.Answer.null : answer
            refuse(Self.tooManyConnections, told, shape, using: &context)
            close(.connectionLimit)
            return false
        }
        access.isOverQuota = false
        updateKnowledge(using: &context)
        return true
    }

    /// Ends the time in which quotas don't hold back lines, for a client that sends more than what
    /// says who it is.
    mutating func boundUndecided() {
        guard !access.isDecided, !mustSayWho else { return }
        if framer.carriedBytes > ServerLimits.unknownLineBytesMax
            || access.undecidedBytes
                > ServerLimits.unknownLineBytesMax * ServerLimits.unknownLinesMax
        {
            access.isDecided = true
        }
    }

    /// Makes each line one request of a client over HTTP, whose head says who it is. Its bytes are
    /// counted by ``spend(bytes:using:)``, not as lines.
    package mutating func beginRequests(using context: inout ProtocolContext) {
        change(.none)
        (decidesEachLine, isOverHTTP) = (true, true)
        updateKnowledge(using: &context)
    }

    /// Makes the client of such a connection one that sends lines as it likes.
    package mutating func beginLines(using context: inout ProtocolContext) {
        decidesEachLine = false
        access.isDecided = access.hasShownToken
        updateKnowledge(using: &context)
    }

    /// Counts bytes that were read, of a connection whose lines aren't counted.
    package mutating func spend(bytes: Int, using context: inout ProtocolContext) {
        access.use?.spend(events: 0, bytes: bytes, at: context.now.uptime)
        guard !decidesEachLine, !access.isDecided else { return }
        access.undecidedBytes += bytes
        boundUndecided()
    }

    /// Adds all that the connection uses to its principal's use, or with −1 takes it away. Call it
    /// with −1 when the connection is removed.
    func countUse(_ sign: Int) {
        access.use?.count(
            connections: sign, subscriptions: sign * (subscriptions + access.subscriptionsBegun),
            requests: sign * access.requestsUnderWay)
    }

    /// Counts a request for its principal.
    ///
    /// - Returns: The refusal of a subscription for which there is no room.
    @inline(__always) mutating func takeFromQuota(
        _ operation: Operation, using context: borrowing ProtocolContext
    ) -> WireError? {
        if case .subscribe = operation {
            if let use = access.use, !use.hasRoomForSubscription {
                return .rateLimited(
                    "your principal has as many subscriptions as it may",
                    retryAfter: ServerLimits.retryMilliseconds)
            }
            access.subscriptionsBegun += 1
            access.use?.count(subscriptions: 1)
        }
        countRequest()
        guard let use = access.use else { return nil }
        let events = operation.eventCount
        if events > 0 { use.spend(events: events, bytes: 0, at: context.now.uptime) }
        return nil
    }

    /// Counts a request without a reply.
    mutating func countRequest() {
        access.requestsUnderWay += 1
        access.use?.count(requests: 1)
    }

    /// Counts its reply.
    mutating func countReply(using context: inout ProtocolContext) {
        access.requestsUnderWay -= 1
        guard let use = access.use else { return }
        use.count(requests: -1)
        context.note(use)
    }
}

extension ProtocolContext {
    /// What a principal uses; `nil` for the owner, on a server without accounts, and for
    /// `anonymous` without quotas of its own.
    mutating func use(of principal: UInt32) -> PrincipalUse? {
        if let known = uses[principal] { return known }
        guard let quotas = quotas(of: principal) else { return nil }
        let use = PrincipalUse(
            quotas, hasStandard: principal != StoredPrincipal.anonymousNumber, at: now.uptime)
        uses[principal] = use
        return use
    }

    /// Whether a principal may have another connection.
    mutating func hasRoomForConnection(of principal: UInt32) -> Bool {
        use(of: principal)?.hasRoomForConnection ?? true
    }

    private func quotas(of principal: UInt32) -> [Quota: Int64]? {
        switch principal {
        case StoredPrincipal.ownerNumber: return nil
        case StoredPrincipal.anonymousNumber:
            let quotas = access.accounts[.anonymous]?.account.quotas ?? [:]
            return quotas.isEmpty ? nil : quotas
        default: return access.accounts.principals[principal]?.account.quotas
        }
    }

    /// Goes over to the quotas of changed accounts.
    mutating func changeQuotas() {
        for (principal, use) in uses {
            if let quotas = quotas(of: principal) {
                if use.change(quotas, at: now.uptime) { relieved.append(use) }
            } else {
                uses[principal] = nil
            }
        }
    }

    /// Keeps a principal whose connections may be read again, for ``takeRelieved()``.
    mutating func note(_ use: PrincipalUse) {
        if use.takeRelief() { relieved.append(use) }
    }

    /// Ends the rest of a principal whose rate was spent.
    ///
    /// - Returns: The uptime until which it still rests; `nil` if its connections may be read.
    package mutating func endRest(of principal: UInt32) -> Int64? {
        guard let use = uses[principal] else { return nil }
        if use.endRest(at: now.uptime) { relieved.append(use) }
        return use.restsUntil
    }

    /// Removes and returns the principals whose connections may be read again.
    package mutating func takeRelieved() -> [PrincipalUse] {
        guard !relieved.isEmpty else { return [] }
        defer { relieved.removeAll(keepingCapacity: true) }
        return relieved
    }
}

extension Operation {
    /// The events that it sends.
    var eventCount: Int {
        switch self {
        case .send: 1
        case .batch(let batch): batch.items.count
        default: 0
        }
    }
}
