import GroveProtocol

/// The connections whose TLS handshake isn't complete, oldest first. They are bounded, over all and
/// per client's address, because each costs memory and nobody knows yet who it is.
struct HandshakeTable {
    private struct Entry {
        let id: UInt64
        let peer: PeerGroup?
        let started: Int64
        var stage = Stage.silent
    }

    /// How far a connection is.
    private enum Stage {
        /// Its client has sent nothing.
        case silent
        /// Its client's first bytes wait, because handshakes are paced.
        case waiting
        /// It takes its steps.
        case begun
    }

    private var entries: [Entry] = []

    /// Adds a connection that was accepted just now.
    ///
    /// - Returns: The connection that must go for it, if there is no room: the oldest one of its
    ///   address, or of all. If most of these clients have sent nothing, it is the oldest of them.
    ///   Otherwise those are the newest, whose first bytes may be on their way.
    mutating func add(
        _ id: UInt64, of peer: PeerGroup?, at uptime: Int64, max: Int, perPeerMax: Int
    ) -> UInt64? {
        defer { entries.append(Entry(id: id, peer: peer, started: uptime)) }
        let own = entries.filter { $0.peer == peer }
        if own.count >= perPeerMax { return displaced(of: own) }
        if entries.count >= max { return displaced(of: entries) }
        return nil
    }

    private mutating func displaced(of entries: [Entry]) -> UInt64? {
        let silent = entries.filter { $0.stage == .silent }
        let oldest = 2 * silent.count > entries.count ? silent.first : entries.first
        return oldest.map { take($0.id) }
    }

    // MARK: Pace

    /// The connections whose first bytes wait.
    var waitingCount: Int { entries.count { $0.stage == .waiting } }

    /// Whether a connection takes its steps, so that the next one needs no permission.
    func hasBegun(_ id: UInt64) -> Bool { entries.contains { $0.id == id && $0.stage == .begun } }

    /// A connection takes its first step.
    mutating func begin(_ id: UInt64) { change(id, to: .begun) }

    /// A connection's first bytes wait.
    mutating func wait(_ id: UInt64) { change(id, to: .waiting) }

    /// The connection that has waited longest takes its first step.
    mutating func beginNext() -> UInt64? {
        guard let place = entries.firstIndex(where: { $0.stage == .waiting }) else { return nil }
        entries[place].stage = .begun
        return entries[place].id
    }

    private mutating func change(_ id: UInt64, to stage: Stage) {
        if let place = entries.firstIndex(where: { $0.id == id }) { entries[place].stage = stage }
    }

    // MARK: The end

    private mutating func take(_ id: UInt64) -> UInt64 {
        remove(id)
        return id
    }

    /// Removes a connection whose handshake is complete, or that is closed.
    mutating func remove(_ id: UInt64) {
        if let place = entries.firstIndex(where: { $0.id == id }) { entries.remove(at: place) }
    }

    /// The connections that were accepted at this uptime or before.
    func started(by uptime: Int64) -> [UInt64] {
        entries.prefix { $0.started <= uptime }.map(\.id)
    }

    /// The number of connections.
    var count: Int { entries.count }
}
