/// The number of connections per client's address.
struct PeerTable {
    private var counts: [PeerGroup: Int] = [:]

    /// Whether one more connection of the group is allowed. Unix sockets have no such bound.
    func hasRoom(for peer: PeerGroup?, max: Int) -> Bool {
        guard let peer, let count = counts[peer] else { return true }
        return count < max
    }

    /// Counts an accepted connection.
    mutating func add(_ peer: PeerGroup?) {
        if let peer { counts[peer, default: 0] += 1 }
    }

    /// Counts a closed connection.
    mutating func remove(_ peer: PeerGroup?) {
        guard let peer, let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }

    /// The number of groups that have a connection.
    var count: Int { counts.count }
}
