import GroveProtocol

/// The connections whose TLS handshake isn't complete, oldest first. They are bounded, over all and
/// per client's address, because each costs memory and nobody knows yet who it is.
struct HandshakeTable {
    private struct Entry {
        let id: UInt64
        let peer: PeerGroup?
        let started: Int64
    }

    private var entries: [Entry] = []

    /// Adds a connection that was accepted just now.
    ///
    /// - Returns: The connection that must go for it, if there is no room: the oldest one of its
    ///   address, or of all.
    mutating func add(
        _ id: UInt64, of peer: PeerGroup?, at uptime: Int64, max: Int, perPeerMax: Int
    ) -> UInt64? {
        defer { entries.append(Entry(id: id, peer: peer, started: uptime)) }
        let own = entries.lazy.filter { $0.peer == peer }
        if own.count >= perPeerMax, let oldest = own.first { return take(oldest.id) }
        if entries.count >= max, let oldest = entries.first { return take(oldest.id) }
        return nil
    }

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
