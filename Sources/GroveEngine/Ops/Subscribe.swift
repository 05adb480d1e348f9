import GroveAccess

/// `subscribe`: sends records as steps are committed.
public struct Subscribe: Sendable {
    /// The first record.
    public enum Start: Sendable, Equatable {
        /// The next record.
        case now
        /// The oldest record held.
        case first
        /// The first record of this many steps before the end, or the oldest one held.
        case last(Int64)
        /// The record after a cursor of this log.
        case after(Cursor)
        /// The client's cursor belongs to another log.
        case foreign
        /// The client's text isn't a cursor.
        case nonsense
    }

    /// The reaction to a full connection.
    public enum SlowPolicy: Sendable { case pause, conflate, disconnect }

    public var name: SubscriptionName
    public var selection: Selection
    /// The first record.
    public var start: Start = .now
    /// Whether the present state of all selected instances comes first.
    public var snapshot = false
    /// Records that may be sent before the client grants more; `nil` for no such bound.
    public var credit: Int64?
    /// The reaction to a full connection.
    public var slow: SlowPolicy = .pause
    /// The host's value, returned with each record; the engine ignores it.
    public var tag: UInt8 = 0
    /// Whether records say who sent the events; the engine decides it.
    var showsSenders = false

    public init(name: SubscriptionName, selection: Selection) {
        self.name = name
        self.selection = selection
    }
}

extension Engine {
    /// `subscribe`: starts to follow the journal at the requested cursor.
    mutating func subscribe(
        _ subscribe: Subscribe, of request: borrowing Request, in turn: Turn
    ) -> Reply {
        let connection = request.connection
        var subscribe = subscribe
        do throws(Failure) {
            let scopes = try narrowed(subscribe.selection, for: request.caller)
            subscribe.selection.scopes = scopes
            subscribe.showsSenders = managesAll(subscribe.selection, request.caller)
            let key = SubscriptionTable.Key(connection: connection, name: subscribe.name)
            if subscriptions[key] != nil {
                throw Failure.badRequest(
                    path: "$.sub", message: "a subscription of this name is open")
            }
            if subscribe.slow == .conflate, subscribe.selection.kinds != .state {
                throw Failure.badRequest(
                    path: "$.slow", message: "conflate is for kind state alone")
            }
            if subscribe.snapshot, subscribe.start != .now {
                throw Failure.badRequest(
                    path: "$.snapshot", message: #"snapshot goes with from: "now" only"#)
            }
            try checkRoom(connection)
            let position = try start(of: subscribe, in: turn)
            let phase: Subscription.Phase =
                subscribe.snapshot ? .snapshot(moment: head, after: nil) : .catchingUp
            subscriptions.add(
                subscribe, of: connection, by: request.caller, position: position, phase: phase,
                at: turn.now)
            return .subscribed(
                subscribe.name, current: position, first: first(for: subscribe, in: turn),
                isNarrowed: scopes != nil)
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

    /// The oldest cursor after which no selected record is missing.
    private func first(for subscribe: Subscribe, in turn: Turn) -> Cursor {
        Cursor(sequence: turn.store.floors.first(for: subscribe.selection) - 1)
    }

    private func start(of subscribe: Subscribe, in turn: Turn) throws(Failure) -> Cursor {
        let first = first(for: subscribe, in: turn)
        switch subscribe.start {
        case .now: return Cursor(sequence: head)
        case .first: return first
        case .last(let steps): return max(first, Cursor(sequence: max(0, head - steps)))
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
