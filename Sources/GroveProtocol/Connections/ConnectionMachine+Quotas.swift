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

    /// Counts the connection for the principal that its client is now, and no more for another one.
    mutating func updateUse(using context: inout ProtocolContext) {
        let wanted = context.use(of: access.caller.principal)
        guard wanted !== access.use else { return }
        countUse(-1)
        access.use = wanted
        countUse(1)
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
