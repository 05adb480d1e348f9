/// `subscribe`: a standing interest in what happens.
public struct Subscribe: Sendable {
    /// Where to begin.
    public enum Start: Sendable, Equatable {
        /// With what happens from now on.
        case now
        /// With the oldest record held.
        case first
        /// Behind a cursor of this log.
        case after(Cursor)
        /// The client's cursor is one of another log.
        case foreign
        /// What the client gives as a cursor is none at all.
        case nonsense
    }

    /// What to do when the client's connection is full.
    public enum SlowPolicy: Sendable { case pause, conflate, disconnect }

    /// The client's name for it.
    public var name: SubscriptionName
    /// What it is about.
    public var selection: Selection
    /// Where it begins.
    public var start: Start = .now
    /// Whether the present state of all selected instances comes first.
    public var snapshot = false
    /// Records that may be sent before the client grants more; `nil` for no such bound.
    public var credit: Int64?
    /// What to do when the connection is full.
    public var slow: SlowPolicy = .pause
    /// What its host wants to know about it with each record; it means nothing here.
    public var tag: UInt8 = 0

    /// A subscription to what follows from now on.
    public init(name: SubscriptionName, selection: Selection) {
        self.name = name
        self.selection = selection
    }
}

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
}
