import Transducers

/// Requests whose answers wait: for effects (`send` with `settle`) or for a state (`await`).
/// Bounded; in memory only, because whoever waits is gone after a crash.
///
/// Thousands may wait for the same state, and have the same deadline: nothing here looks at all of
/// them for the sake of one.
struct WaiterTable {
    typealias ID = Int

    /// One request that waits.
    struct Waiter {
        let connection: ConnectionID
        let token: UInt32
        let deadline: Timestamp
        let subject: Subject
        /// Whether it began in the batch that isn't committed yet.
        var isNew = true

        /// The refusal of one that has waited for too long.
        var timeout: Failure {
            if case .effects(let hasKey) = subject {
                .timeout(isRepeatable: hasKey)
            } else {
                .timeout(isRepeatable: true)
            }
        }
    }

    /// What it waits for.
    enum Subject {
        /// That effects end (``Settling``). `hasKey` when the event can be sent again without
        /// being applied again.
        case effects(hasKey: Bool)
        /// That an instance is in a state, or done.
        case state(InstanceName, Await.Condition)
    }

    /// The effects that an answer waits for; `isTree` when what follows from them counts too.
    struct Settling {
        let home: InstanceName
        let isTree: Bool
        var sent: Reply.Sent
        var outstanding: Set<EffectRef> = []
        var outcomes: [Reply.EffectOutcome] = []
    }

    private var waiters: [ID: Waiter] = [:]
    /// Apart from their waiters, so that they are changed where they are.
    private var settlings: [ID: Settling] = [:]
    private var byEffect: [EffectRef: [ID]] = [:]
    private var byName: [InstanceName: [Await.Condition: Set<ID>]] = [:]
    private var byConnection: [ConnectionID: Set<ID>] = [:]
    /// The first one is of somebody who waits; behind it may be some who don't any more.
    private var deadlines = DeadlineQueue()
    private var lastID: ID = 0
    /// Waiters that the batch under way has told something.
    private(set) var touched: Set<ID> = []

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// When the next one gives up.
    var nextDeadline: Timestamp? { deadlines.first?.deadline }

    subscript(id: ID) -> Waiter? { waiters[id] }

    /// The effects that somebody waits for.
    func settling(_ id: ID) -> Settling? { settlings[id] }

    /// The id that the next waiter gets.
    mutating func takeID() -> ID {
        lastID += 1
        return lastID
    }

    mutating func insert(_ waiter: Waiter, id: ID, settling: Settling? = nil) {
        waiters[id] = waiter
        if let settling { settlings[id] = settling }
        byConnection[waiter.connection, default: []].insert(id)
        if case .state(let name, let condition) = waiter.subject {
            byName[name, default: [:]][condition, default: []].insert(id)
        }
        deadlines.insert(waiter.deadline, id)
        touched.insert(id)
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Waiter? {
        if case .state(let name, let condition)? = waiters[id]?.subject {
            byName[name]?[condition]?.remove(id)
            if byName[name]?[condition]?.isEmpty == true { byName[name]?[condition] = nil }
            if byName[name]?.isEmpty == true { byName[name] = nil }
        }
        return forget(id)
    }

    /// Forgets one that is no longer in `byName`.
    private mutating func forget(_ id: ID) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        byConnection[waiter.connection]?.remove(id)
        if byConnection[waiter.connection]?.isEmpty == true {
            byConnection[waiter.connection] = nil
        }
        for ref in settlings.removeValue(forKey: id)?.outstanding ?? [] { forget(id, of: ref) }
        forgetDeadlines()
        return waiter
    }

    private mutating func forget(_ id: ID, of ref: EffectRef) {
        byEffect[ref]?.removeAll { $0 == id }
        if byEffect[ref]?.isEmpty == true { byEffect[ref] = nil }
    }

    /// Removes deadlines of those who have gone from the front, and all once they are most.
    private mutating func forgetDeadlines() {
        while let first = deadlines.first, waiters[first.id] == nil { deadlines.removeFirst() }
        guard deadlines.count > 2 * waiters.count + 64 else { return }
        deadlines = DeadlineQueue(waiters.lazy.map { ($0.value.deadline, $0.key) })
    }

    /// Forgets who waits on a connection.
    ///
    /// - Returns: The tokens of their requests.
    mutating func removeAll(of connection: ConnectionID) -> [UInt32] {
        (byConnection[connection] ?? []).sorted().compactMap { remove($0)?.token }
    }

    // MARK: States

    /// Whether somebody waits for a state of an instance, or for its end.
    func areThere(for name: InstanceName) -> Bool { byName[name] != nil }

    /// Whether somebody waits for an instance to be in a state that has a name.
    func areThere(forStatesOf name: InstanceName) -> Bool {
        guard let groups = byName[name] else { return false }
        return groups.count > (groups[.done] == nil ? 0 : 1)
    }

    /// Takes out who waits for one of these conditions of an instance, in the order in which they
    /// asked.
    mutating func take(_ name: InstanceName, _ conditions: [Await.Condition]) -> [Waiter] {
        var ids: [ID] = []
        for condition in conditions {
            if let group = byName[name]?.removeValue(forKey: condition) { ids += group }
        }
        if byName[name]?.isEmpty == true { byName[name] = nil }
        return ids.sorted().compactMap { forget($0) }
    }

    /// Takes out who waits for anything of an instance, in the order in which they asked.
    mutating func takeAll(_ name: InstanceName) -> [Waiter] {
        take(name, byName[name].map { Array($0.keys) } ?? [])
    }

    // MARK: Effects

    /// Who waits for an effect; with `isTree`, only who waits for what follows from it too.
    func waiting(for ref: EffectRef, isTree: Bool = false) -> [ID] {
        guard let ids = byEffect[ref] else { return [] }
        return isTree ? ids.filter { settlings[$0]?.isTree == true } : ids
    }

    /// Has waiters wait for one more effect.
    mutating func join(_ ref: EffectRef, _ ids: [ID]) {
        for id in ids where settlings[id]?.outstanding.insert(ref).inserted == true {
            byEffect[ref, default: []].append(id)
            touched.insert(id)
        }
    }

    /// An effect has ended.
    ///
    /// - Parameter outcome: What became of it; `nil` for a sequence, of which nothing is told.
    /// - Returns: Who need not wait any more.
    mutating func ended(_ ref: EffectRef, _ outcome: Reply.EffectOutcome?) -> [ID] {
        guard let ids = byEffect.removeValue(forKey: ref) else { return [] }
        var done: [ID] = []
        for id in ids {
            guard settlings[id]?.take(ref, outcome) != nil else { continue }
            touched.insert(id)
            if settlings[id]?.outstanding.isEmpty == true { done.append(id) }
        }
        return done
    }

    /// Says what the event itself has come to, once that is known.
    mutating func setSent(_ sent: Reply.Sent, of id: ID) { settlings[id]?.sent = sent }

    // MARK: Ends

    /// Takes out those whose time is over, at most so many, those first who have waited for
    /// longest.
    mutating func takeExpired(at now: Timestamp, limit: Int) -> [Waiter] {
        var expired: [Waiter] = []
        while expired.count < limit, let first = deadlines.first, first.deadline <= now,
            let waiter = remove(first.id)
        {
            expired.append(waiter)
        }
        return expired
    }

    /// Ends a batch that is committed, or lost.
    mutating func endBatch() {
        for id in touched { waiters[id]?.isNew = false }
        touched.removeAll()
    }
}

extension WaiterTable.Settling {
    /// An effect has ended.
    fileprivate mutating func take(_ ref: EffectRef, _ outcome: Reply.EffectOutcome?) {
        outstanding.remove(ref)
        guard var outcome, outcomes.count < Limits.effectsPerStepMax else { return }
        if outcome.instance == home { outcome.instance = nil }
        outcomes.append(outcome)
    }
}
