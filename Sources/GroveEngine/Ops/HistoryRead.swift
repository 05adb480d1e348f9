import GroveAccess

/// `history`, as far as it was read: backwards, from the newest step of the page.
struct HistoryRead {
    let history: History
    /// Who asks.
    let caller: Caller
    /// Whether the page says who sent the events.
    var showsSenders = true
    /// The instance's newest step and version when it was asked for; `nil` before it was found.
    var end: (newest: JournalPosition, version: Int64)?
    /// The step to look at next.
    var next: JournalRecord?
    var page: [JournalRecord] = []
    /// The steps before it were dropped.
    var begin = 0
    var bytes = 0
    /// The lowest version that the journal holds, if it is after the requested one.
    var first: Int64?

    init(_ history: History, by caller: Caller = .owner) {
        self.history = history
        self.caller = caller
    }
}
