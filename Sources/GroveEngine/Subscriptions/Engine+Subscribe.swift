extension Engine {
    /// `subscribe`: begins to follow the journal at the asked place.
    mutating func subscribe(
        _ subscribe: Subscribe, of connection: ConnectionID, in turn: Turn
    ) -> Reply {
        do throws(Failure) {
            let key = SubscriptionTable.Key(connection: connection, name: subscribe.name)
            if subscriptions.id(key) != nil {
                throw Failure.badRequest(
                    path: "$.sub", message: "a subscription of this name is open")
            }
            if subscribe.slow == .conflate, subscribe.selection.kinds != .state {
                throw Failure.badRequest(
                    path: "$.slow", message: "conflate is for kind state alone")
            }
            if subscribe.snapshot, subscribe.start != .now {
                throw Failure.badRequest(
                    path: "$.snapshot", message: #"snapshot goes with from: "turn.now" only"#)
            }
            try checkRoom(connection)
            let position = try start(of: subscribe, in: turn)
            let phase: Subscription.Phase =
                subscribe.snapshot ? .snapshot(moment: head, after: nil) : .catchingUp
            subscriptions.add(
                Subscription(
                    subscribe, of: connection, position: position, phase: phase, at: turn.now))
            return .subscribed(
                subscribe.name, current: position, first: first(for: subscribe, in: turn))
        } catch {
            return .failure(error)
        }
    }

    private func checkRoom(_ connection: ConnectionID) throws(Failure) {
        if subscriptions.count(of: connection) >= Limits.subscriptionsPerConnectionMax {
            throw .limit(
                "a connection may have \(Limits.subscriptionsPerConnectionMax) subscriptions")
        }
        if subscriptions.count >= Limits.subscriptionsMax {
            throw .limit("the server has \(Limits.subscriptionsMax) subscriptions")
        }
    }

    /// The oldest cursor behind which nothing is missing that a subscription is about.
    private func first(for subscribe: Subscribe, in turn: Turn) -> Cursor {
        Cursor(sequence: turn.store.floors.first(for: subscribe.selection) - 1)
    }

    private func start(of subscribe: Subscribe, in turn: Turn) throws(Failure) -> Cursor {
        let first = first(for: subscribe, in: turn)
        switch subscribe.start {
        case .now: return Cursor(sequence: head)
        case .first: return first
        case .foreign: throw .cursorForeign(first: first)
        case .nonsense: throw .cursorForeign(first: first, why: .nonsense)
        case .after(let cursor):
            // No record comes before the first step, so no cursor was ever within step 0.
            let isWithinNothing = cursor.sequence == 0 && cursor.index != Cursor.stepEnd
            guard cursor.sequence <= head, !isWithinNothing else {
                throw .cursorForeign(first: first, why: .ahead)
            }
            guard cursor >= first else { throw .cursorTooOld(first: first) }
            return cursor
        }
    }

    /// `unsubscribe`: nothing more is sent.
    mutating func unsubscribe(
        _ name: SubscriptionName, of connection: ConnectionID
    ) -> Reply {
        let key = SubscriptionTable.Key(connection: connection, name: name)
        return subscriptions.remove(key) ? .done : .failure(.noSuchSubscription)
    }

    /// `credit`: that many records more may be sent.
    mutating func credit(
        _ count: Int64, to name: SubscriptionName, of connection: ConnectionID
    ) -> Reply {
        let key = SubscriptionTable.Key(connection: connection, name: name)
        guard let id = subscriptions.id(key), var subscription = subscriptions[id] else {
            return .failure(.noSuchSubscription)
        }
        // A subscription without bound stays without bound.
        if let credit = subscription.credit {
            let sum = credit.addingReportingOverflow(count)
            subscription.credit = sum.overflow ? Int64.max : sum.partialValue
        }
        subscription.waitsForCredit = false
        subscriptions[id] = subscription
        subscriptions.listIfAble(id)
        return .done
    }

    /// Forgets a connection that is gone. What it still waits for is answered with the next
    /// flush: nobody reads that, but whoever counts requests counts every answer.
    public mutating func connectionClosed(_ connection: ConnectionID) {
        subscriptions.remove(connection)
        for token in waiters.removeAll(of: connection) + pages.remove(of: connection) {
            batch.holdClosed(connection, token)
        }
        // Its requests for backups are answered too, but none begins.
        for index in batch.backups.indices where batch.backups[index].connection == connection {
            batch.backups[index].operation = .backup(BackupRequest(.end("")))
        }
        backup.connectionClosed(connection)
    }

    /// Changes how many bytes of records may be on their way to one connection.
    public mutating func setConnectionWindow(_ bytes: Int) {
        subscriptions.setWindow(max(1, bytes))
    }

    /// Records that publications left a connection's buffer: all up to a sum of weights, counted
    /// from the connection's beginning. Resumes its subscriptions if they had paused.
    public mutating func drained(_ connection: ConnectionID, through weight: Int) {
        subscriptions.drain(connection, through: weight)
    }
}
