/// Which handlers are at work for which effects, and for which handlers more effects wait than
/// may be under way. Bounded by the handlers' concurrency.
struct LaneTable {
    /// One handler.
    private struct Lane {
        let max: Int
        var underWay = 0
        /// Whether the store may hold effects for it that are not under way.
        var hasBacklog = true
        /// Where the search in the store goes on.
        var cursor: EffectRef?
    }

    private var lanes: [String: Lane] = [:]
    /// What is under way: the handler, and which try it is.
    private var issued: [EffectRef: (lane: String, attempt: Int)] = [:]

    init() {}

    /// The handlers' lanes. All may have a backlog in the store at the start.
    init(_ handlers: [String: HandlerTraits]) {
        lanes = handlers.mapValues { Lane(max: $0.concurrencyMax) }
    }

    /// How many tries are under way.
    var underWay: Int { issued.count }

    func isKnown(_ lane: String) -> Bool { lanes[lane] != nil }

    /// Which try of an effect is under way.
    func attempt(of ref: EffectRef) -> Int? { issued[ref]?.attempt }

    /// Takes a try, if its lane has room and nobody waits longer for it; else the effect is left
    /// to the backlog.
    mutating func admit(_ ref: EffectRef, lane name: String, attempt: Int) -> Bool {
        guard let lane = lanes[name], issued[ref] == nil else { return false }
        guard !lane.hasBacklog, lane.underWay < lane.max else {
            lanes[name]?.hasBacklog = true
            return false
        }
        begin(ref, lane: name, attempt: attempt)
        return true
    }

    /// Takes a try from the backlog.
    mutating func begin(_ ref: EffectRef, lane name: String, attempt: Int) {
        issued[ref] = (name, attempt)
        lanes[name]?.underWay += 1
    }

    /// A try is over.
    mutating func end(_ ref: EffectRef) {
        guard let (name, _) = issued.removeValue(forKey: ref) else { return }
        lanes[name]?.underWay -= 1
    }

    /// Effects may wait in the store that nobody told of.
    mutating func noteBacklog(_ lane: String) { lanes[lane]?.hasBacklog = true }

    /// Lanes with a backlog and room for it, in the order of their names: how much room, and
    /// where to go on.
    var refillable: [(lane: String, room: Int, after: EffectRef?)] {
        lanes.filter { $0.value.hasBacklog && $0.value.underWay < $0.value.max }
            .map { ($0.key, $0.value.max - $0.value.underWay, $0.value.cursor) }
            .sorted { $0.lane < $1.lane }
    }

    /// How far a search has come; `nil` when it has seen everything behind where it began.
    mutating func searched(_ lane: String, through cursor: EffectRef?, fromStart: Bool) {
        lanes[lane]?.cursor = cursor
        if cursor == nil, fromStart { lanes[lane]?.hasBacklog = false }
    }

    /// Whether any lane could take more.
    var wantsRefill: Bool {
        lanes.values.contains { $0.hasBacklog && $0.underWay < $0.max }
    }
}

/// What has to be done for effects before the batch is committed, and after.
struct EffectWork {
    /// What is due now: the effects and their owners.
    var agenda: [(ref: EffectRef, owner: String)] = []
    /// How far the agenda is done.
    var done = 0
    /// Effects whose handlers are to work once the batch is committed.
    var ready: [(ref: EffectRef, row: StoredEffect)] = []
    /// Handlers that are to stop once the batch is committed.
    var cancellations: [EffectRef] = []
    /// What handlers have reported in the batch, should it be given up.
    var reports: [EffectReport] = []
    /// What they have reported in batches that were given up: taken again when there is room.
    var deferred: [EffectReport] = []
    /// When the disk was full: when to look whether it still is.
    var notBefore: Timestamp?
    /// Reports of the batch, and whether they count.
    var answers: [(answer: @Sendable (Bool) -> Void, wasApplied: Bool)] = []
    /// Answers that the batch makes true.
    var released: [(waiter: WaiterTable.Waiter, reply: Reply)] = []
    /// Answers that commits have made true and that are still to be given.
    var owed = OwedAnswers()
    /// Effects whose last report the batch has taken.
    var finished: [(ref: EffectRef, lane: String)] = []
    /// Effects whose closures belonged to another process, and their owners.
    var lost: [(ref: EffectRef, owner: String)] = []
    /// Effects whose rows or owners can't be read; passed over until the next start.
    var unreadable: Set<EffectRef> = []
    /// When the store's next effect is due, as of the last commit.
    var nextDue: Timestamp?
    /// When the store is to be looked at for what waits for handlers that have room.
    var nextRefill: Timestamp?
    /// Whether that has to be asked for anew.
    var isDueStale = true
    private var notes: [[UInt8]] = []

    /// Adds what happened to an effect to the record that is being made.
    mutating func note(_ note: [UInt8]) { notes.append(note) }

    /// What happened since the last record.
    mutating func takeNotes() -> [[UInt8]] {
        guard !notes.isEmpty else { return [] }
        defer { notes = [] }
        return notes
    }

    /// The next thing on the agenda.
    mutating func next() -> (ref: EffectRef, owner: String)? {
        guard done < agenda.count else { return nil }
        defer { done += 1 }
        return agenda[done]
    }

    /// Forgets what only this batch was about.
    mutating func endBatch() {
        agenda.removeAll()
        done = 0
        ready.removeAll()
        cancellations.removeAll()
        answers.removeAll()
        reports.removeAll()
        finished.removeAll()
    }
}
