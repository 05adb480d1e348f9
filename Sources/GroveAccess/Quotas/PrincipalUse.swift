/// What one principal uses of a server, on all its connections together, and whether it may use
/// more. Shared by these connections, and confined to the queue that reads from them.
///
/// A principal that has used up its requests, events or bytes isn't read for a while: nothing that
/// it sent is refused or dropped, and nothing overtakes. Connections and subscriptions, which can't
/// wait, are refused.
package final class PrincipalUse {
    /// Connections that are open.
    package private(set) var connections = 0
    /// Subscriptions of them, and those that are being made.
    package private(set) var subscriptions = 0
    /// Requests without a reply.
    package private(set) var requests = 0
    /// The uptime in milliseconds until which nothing is read, because a rate is spent; `nil`
    /// without a rest.
    package private(set) var restsUntil: Int64?
    /// Whether somebody has been told of the present rest, and will end it.
    package var isRestNoted = false
    /// The connections that aren't read because of it, by number.
    package var waiting: Set<UInt64> = []

    private var quotas: [Quota: Int64]
    private let hasStandard: Bool
    private var requestsMax: Int
    private var events: TokenBucket?
    private var bytes: TokenBucket?
    private var wasSpent = false

    /// The use of a principal without connections.
    ///
    /// - Parameters:
    ///   - quotas: What it was given.
    ///   - hasStandard: Whether ``Quota/standard`` holds for the others, as it does for all but
    ///     `anonymous`.
    ///   - uptime: The time, in milliseconds.
    package init(_ quotas: [Quota: Int64], hasStandard: Bool, at uptime: Int64) {
        self.quotas = quotas
        self.hasStandard = hasStandard
        requestsMax = .max
        setBounds(at: uptime)
    }

    /// Goes over to other quotas. What is in use stays.
    ///
    /// - Returns: Whether they are others.
    @discardableResult
    package func change(_ quotas: [Quota: Int64], at uptime: Int64) -> Bool {
        guard quotas != self.quotas else { return false }
        self.quotas = quotas
        setBounds(at: uptime)
        return true
    }

    private func setBounds(at uptime: Int64) {
        requestsMax = bound(of: .requests).map { Int($0) } ?? .max
        Self.change(&events, to: bound(of: .eventsPerSecond), at: uptime)
        Self.change(&bytes, to: bound(of: .bytesPerSecond), at: uptime)
        guard restsUntil != nil else { return }
        // What is owed comes back at the new rate.
        restsUntil = nil
        isRestNoted = false
        spend(events: 0, bytes: 0, at: uptime)
    }

    private func bound(of quota: Quota) -> Int64? {
        quotas[quota] ?? (hasStandard ? quota.standard : nil)
    }

    private static func change(_ bucket: inout TokenBucket?, to rate: Int64?, at uptime: Int64) {
        guard let rate else { return bucket = nil }
        let wanted = TokenBucket.Rate.perSecond(rate)
        if bucket == nil {
            bucket = TokenBucket(wanted, at: uptime)
        } else {
            bucket?.change(to: wanted, at: uptime)
        }
    }

    // MARK: what can't wait

    /// Whether there may be another connection.
    package var hasRoomForConnection: Bool { hasRoom(.connections, connections) }

    /// Whether there may be another subscription.
    package var hasRoomForSubscription: Bool { hasRoom(.subscriptions, subscriptions) }

    private func hasRoom(_ quota: Quota, _ used: Int) -> Bool {
        bound(of: quota).map { used < $0 } ?? true
    }

    /// Counts a connection with what it uses; with a negative factor one that has ended.
    package func count(connections: Int = 0, subscriptions: Int = 0, requests: Int = 0) {
        self.connections += connections
        self.subscriptions += subscriptions
        self.requests += requests
        if self.requests >= requestsMax { wasSpent = true }
    }

    // MARK: what waits

    /// Whether nothing more is read now.
    package var isSpent: Bool { restsUntil != nil || requests >= requestsMax }

    /// Counts a line that was received.
    ///
    /// - Parameters:
    ///   - events: The events in it.
    ///   - bytes: Its bytes.
    ///   - uptime: The time, in milliseconds.
    package func spend(events: Int, bytes: Int, at uptime: Int64) {
        let wait = max(
            self.events?.spend(Int64(events), at: uptime) ?? 0,
            self.bytes?.spend(Int64(bytes), at: uptime) ?? 0)
        guard wait > 0 else { return }
        restsUntil = max(restsUntil ?? 0, uptime + wait)
    }

    /// Ends a rest whose time is over.
    ///
    /// - Returns: Whether it has ended.
    package func endRest(at uptime: Int64) -> Bool {
        guard let end = restsUntil, end <= uptime else { return false }
        restsUntil = nil
        isRestNoted = false
        return true
    }

    /// Whether requests were spent and half of them have been answered since, so that its
    /// connections can be read again. Says so once.
    package func takeRelief() -> Bool {
        guard wasSpent, requests <= requestsMax / 2 else { return false }
        wasSpent = false
        return true
    }

    /// Removes and returns the connections that wait.
    package func takeWaiting() -> Set<UInt64> {
        defer { waiting = [] }
        return waiting
    }
}
