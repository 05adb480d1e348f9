/// How many connections each client's address has.
struct PeerTable {
    private var counts: [PeerGroup: Int] = [:]

    /// Whether one more connection may come from there. Unix sockets have no bound of their own.
    func hasRoom(for peer: PeerGroup?, max: Int) -> Bool {
        guard let peer, let count = counts[peer] else { return true }
        return count < max
    }

    /// A connection was taken in.
    mutating func add(_ peer: PeerGroup?) {
        if let peer { counts[peer, default: 0] += 1 }
    }

    /// A connection is gone.
    mutating func remove(_ peer: PeerGroup?) {
        guard let peer, let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }

    /// Addresses that have a connection.
    var count: Int { counts.count }
}
