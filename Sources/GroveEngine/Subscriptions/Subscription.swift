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
    let tag: UInt8
    /// Records that may still be sent; `nil` without bound.
    var credit: Int64?
    /// Everything up to here was sent or did not fit the selection. A live subscription is
    /// further, where nothing concerned it: see `SubscriptionTable.reached`.
    var position: Cursor
    var phase: Phase
    /// Whether the mark `live` was sent.
    var sentLiveMark = false
    /// Whether the next record waits for credit; cleared by the grant.
    var waitsForCredit = false
    /// The last cursor the client was told, and when.
    var announced: Cursor
    var announcedAt: Timestamp
    /// Records passed over since then while it was not live.
    var passedOver = 0
    /// While live: how many records had been published when it became live or was told.
    var publishedBefore = 0
    /// Whether it is among `SubscriptionTable.advancing`.
    var isAdvancing = false

    init(
        _ subscribe: Subscribe, of connection: ConnectionID, position: Cursor, phase: Phase,
        at now: Timestamp
    ) {
        self.connection = connection
        name = subscribe.name
        selection = subscribe.selection
        slow = subscribe.slow
        tag = subscribe.tag
        credit = subscribe.credit
        self.position = position
        self.phase = phase
        announced = position
        announcedAt = now
    }

    /// Takes one credit; `false` when there is none left.
    mutating func spendCredit() -> Bool {
        guard let credit else { return true }
        guard credit > 0 else { return false }
        self.credit = credit - 1
        return true
    }
}
