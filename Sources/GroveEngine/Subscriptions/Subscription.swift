import GroveAccess

/// One subscription: its selection, position and credit. An object, because every record looks at
/// every live one.
final class Subscription {
    enum Phase: Equatable {
        /// Sends the states of selected instances as of `moment`, in the order of names.
        case snapshot(moment: JournalPosition, after: String?)
        /// Reads the journal after `position`.
        case catchingUp
        /// Gets every commit's records at once.
        case live
    }

    /// Its number; never reused.
    let id: Int
    let connection: ConnectionID
    let window: SubscriptionTable.Window
    let name: SubscriptionName
    private(set) var selection: Selection
    /// Whether its records say who sent the events: its subscriber manages all that it selects.
    private(set) var showsSenders: Bool
    /// Whose it is.
    let caller: Caller
    let slow: Subscribe.SlowPolicy
    let tag: UInt8
    /// The remaining credit; `nil` for no bound.
    var credit: Int64?
    /// Everything up to here was sent or isn't selected. For a live subscription, see
    /// `SubscriptionTable.reached`.
    var position: Cursor
    var phase: Phase
    var sentLiveMark = false
    var waitsForCredit = false
    /// The last cursor sent to the client, and its time.
    var announced: Cursor
    var announcedAt: Timestamp
    /// Records skipped since then while it wasn't live.
    var passedOver = 0
    /// While live: the count of published records when it became live, or at the last cursor.
    var publishedBefore = 0
    /// Whether it is in `SubscriptionTable.advancing`.
    var isAdvancing = false
    /// Whether it has ended.
    var isRemoved = false

    init(
        _ id: Int, _ subscribe: Subscribe, of connection: ConnectionID, by caller: Caller,
        window: SubscriptionTable.Window, position: Cursor, phase: Phase, at now: Timestamp
    ) {
        self.id = id
        self.connection = connection
        self.window = window
        name = subscribe.name
        selection = subscribe.selection
        self.caller = caller
        showsSenders = subscribe.showsSenders
        slow = subscribe.slow
        tag = subscribe.tag
        credit = subscribe.credit
        self.position = position
        self.phase = phase
        announced = position
        announcedAt = now
    }

    /// Narrows the selection to what its subscriber may see; `nil` for all.
    func narrow(to scopes: [NameScope]?, showsSenders: Bool) {
        selection.scopes = scopes
        self.showsSenders = showsSenders
    }

    /// Whether it is live and hasn't ended.
    var isLive: Bool {
        if case .live = phase { !isRemoved } else { false }
    }

    /// Uses one credit; returns `false` when none is left.
    func spendCredit() -> Bool {
        guard let credit else { return true }
        guard credit > 0 else { return false }
        self.credit = credit - 1
        return true
    }
}
