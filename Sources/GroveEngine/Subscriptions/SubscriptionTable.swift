/// One subscription: what it is about, how far it got, and what it may still be sent.
struct Subscription {
    enum Phase: Equatable {
        /// Sending the state of every selected instance as of `moment`, in the order of names.
        case snapshot(moment: JournalPosition, after: String?)
        /// Reading the journal behind `position`.
        case catchingUp
        /// At the head: gets every commit's records as they are made.
        case live
    }

    let connection: ConnectionID
    let name: SubscriptionName
    let selection: Selection
    let slow: Subscribe.SlowPolicy
    /// Records that may still be sent; `nil` without bound.
    var credit: Int64?
    /// Everything up to here was sent or did not fit the selection.
    var position: Cursor
    var phase: Phase
    /// Whether the mark `live` was sent.
    var saidLive = false
    /// Whether the next record waits for credit; cleared by the grant.
    var waitsForCredit = false
    /// The last cursor the client was told, and when.
    var told: Cursor
    var toldAt: Timestamp
    /// Records passed over since then.
    var passedOver = 0

    /// Takes one credit; `false` when there is none left.
    mutating func spendCredit() -> Bool {
        guard let credit else { return true }
        guard credit > 0 else { return false }
        self.credit = credit - 1
        return true
    }
}

/// All subscriptions, and how much of their records is on its way to each connection.
struct SubscriptionTable {
    struct Key: Hashable {
        var connection: ConnectionID
        var name: SubscriptionName
    }

    /// The window of one connection: bytes handed out against bytes that left.
    struct Window {
        var posted = 0
        var drained = 0
        var names: [SubscriptionName] = []

        var outstanding: Int { posted - drained }
    }

    private(set) var all: [Key: Subscription] = [:]
    private(set) var windows: [ConnectionID: Window] = [:]
    /// The keys in the order of subscribing, so that turns and records have a fixed order.
    private(set) var order: [Key] = []
    /// Whose turn it is to catch up.
    var turn = 0

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    subscript(key: Key) -> Subscription? {
        get { all[key] }
        _modify { yield &all[key] }
    }

    func count(of connection: ConnectionID) -> Int { windows[connection]?.names.count ?? 0 }

    mutating func add(_ subscription: Subscription) {
        let key = Key(connection: subscription.connection, name: subscription.name)
        all[key] = subscription
        order.append(key)
        windows[key.connection, default: Window()].names.append(key.name)
    }

    /// Ends one subscription; `false` when there was none of that name.
    mutating func remove(_ key: Key) -> Bool {
        guard all.removeValue(forKey: key) != nil else { return false }
        order.removeAll { $0 == key }
        windows[key.connection]?.names.removeAll { $0 == key.name }
        return true
    }

    /// Ends everything of a connection.
    mutating func remove(_ connection: ConnectionID) {
        guard let window = windows.removeValue(forKey: connection), !window.names.isEmpty else {
            return
        }
        for name in window.names { all[Key(connection: connection, name: name)] = nil }
        order.removeAll { $0.connection == connection }
    }

    mutating func post(_ weight: Int, to connection: ConnectionID) {
        windows[connection]?.posted += weight
    }

    /// Takes note of what left a connection's buffer.
    mutating func drain(_ connection: ConnectionID, through weight: Int) {
        guard let window = windows[connection], weight <= window.posted else { return }
        windows[connection]?.drained = max(window.drained, weight)
    }

    func isOpen(_ connection: ConnectionID, window: Int) -> Bool {
        (windows[connection]?.outstanding ?? 0) < window
    }

    /// Takes back what a commit that failed had promised: nobody is ahead of the head.
    mutating func clip(to head: JournalPosition) {
        let end = Cursor(sequence: head)
        for key in order {
            guard var subscription = all[key], subscription.position > end else { continue }
            subscription.position = end
            subscription.told = min(subscription.told, end)
            if case .snapshot(let moment, let after) = subscription.phase, moment > head {
                subscription.phase = .snapshot(moment: head, after: after)
            }
            all[key] = subscription
        }
    }
}
