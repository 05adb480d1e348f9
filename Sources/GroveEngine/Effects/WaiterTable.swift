import GroveAccess
import Transducers

/// Requests whose answers wait: for effects (`send` with `settle`), or for a state (`await`).
/// Bounded; in memory only, because a crash closes their connections.
///
/// Thousands may wait for the same state and have the same deadline: no function looks at all of
/// them for one.
struct WaiterTable {
    typealias ID = Int

    /// One request that waits.
    struct Waiter {
        let connection: ConnectionID
        let token: UInt32
        /// Who asks. The answer shows what they may read when it is given.
        let caller: Caller
        let deadline: Timestamp
        let subject: Subject
        /// Whether the reply names the active states.
        var wantsStates = false
        /// Whether it began in the batch under way.
        var isNew = true
        /// What the event of a `send` has made.
        var applied: (version: Int64, cursor: Cursor)?

        /// The refusal after the deadline.
        var timeout: Failure {
            var isRepeatable = true
            if case .effects(let hasKey) = subject { isRepeatable = hasKey }
            guard let applied else { return .timeout(isRepeatable: isRepeatable) }
            return .unsettled(
                version: applied.version, cursor: applied.cursor, isRepeatable: isRepeatable)
        }
    }

    /// What a request waits for.
    enum Subject {
        /// The end of effects (``Settling``). `hasKey` if the client can repeat the event without
        /// applying it again.
        case effects(hasKey: Bool)
        /// A state of an instance, or its end.
        case state(InstanceName, Await.Condition)
    }

    /// The effects that an answer waits for; with `isTree`, including those that follow from
    /// them.
    struct Settling {
        let home: InstanceName
        let isTree: Bool
        var sent: Reply.Sent
        var outstanding: Set<EffectRef> = []
        var outcomes: [Reply.EffectOutcome] = []
    }

    private var waiters: [ID: Waiter] = [:]
    /// Apart from their waiters, so that they are changed in place.
    private var settlings: [ID: Settling] = [:]
    private var byEffect: [EffectRef: [ID]] = [:]
    private var byName: [InstanceName: [Await.Condition: Set<ID>]] = [:]
    private var byConnection: [ConnectionID: Set<ID>] = [:]
    /// The first one belongs to a waiter; later ones may be of removed waiters.
    private var deadlines = DeadlineQueue()
    private var lastID: ID = 0
    private(set) var touched: Set<ID> = []

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    var nextDeadline: Timestamp? { deadlines.first?.deadline }

    subscript(id: ID) -> Waiter? { waiters[id] }

    func settling(_ id: ID) -> Settling? { settlings[id] }

    mutating func nextID() -> ID {
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
        return removeUnnamed(id)
    }

    /// Removes a waiter that is no longer in `byName`.
    private mutating func removeUnnamed(_ id: ID) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        byConnection[waiter.connection]?.remove(id)
        if byConnection[waiter.connection]?.isEmpty == true {
            byConnection[waiter.connection] = nil
        }
        for ref in settlings.removeValue(forKey: id)?.outstanding ?? [] {
            byEffect[ref]?.removeAll { $0 == id }
            if byEffect[ref]?.isEmpty == true { byEffect[ref] = nil }
        }
        removeDeadlines()
        return waiter
    }

    /// Removes deadlines of removed waiters from the front; all of them once they are the majority.
    private mutating func removeDeadlines() {
        while let first = deadlines.first, waiters[first.id] == nil { deadlines.removeFirst() }
        guard deadlines.count > 2 * waiters.count + 64 else { return }
        deadlines = DeadlineQueue(waiters.lazy.map { ($0.value.deadline, $0.key) })
    }

    /// Removes the waiters of a connection.
    ///
    /// - Returns: The tokens of their requests.
    mutating func removeAll(of connection: ConnectionID) -> [UInt32] {
        (byConnection[connection] ?? []).sorted().compactMap { remove($0)?.token }
    }

    // MARK: States

    /// Whether a request waits for a state of an instance, or for its end.
    func hasWaiters(for name: InstanceName) -> Bool { byName[name] != nil }

    /// Whether a request waits for a named state of an instance.
    func hasWaiters(forStatesOf name: InstanceName) -> Bool {
        guard let groups = byName[name] else { return false }
        return groups.count > (groups[.done] == nil ? 0 : 1)
    }

    /// Removes and returns the waiters for one of these conditions, in the order of their requests.
    mutating func remove(_ name: InstanceName, _ conditions: [Await.Condition]) -> [Waiter] {
        var ids: [ID] = []
        for condition in conditions {
            if let group = byName[name]?.removeValue(forKey: condition) { ids += group }
        }
        if byName[name]?.isEmpty == true { byName[name] = nil }
        return ids.sorted().compactMap { removeUnnamed($0) }
    }

    /// Removes and returns all waiters for an instance, in the order of their requests.
    mutating func removeAll(_ name: InstanceName) -> [Waiter] {
        remove(name, byName[name].map { Array($0.keys) } ?? [])
    }

    // MARK: Effects

    /// The waiters for an effect; with `isTree`, only those that wait for the tree.
    func waiting(for ref: EffectRef, isTree: Bool = false) -> [ID] {
        guard let ids = byEffect[ref] else { return [] }
        return isTree ? ids.filter { settlings[$0]?.isTree == true } : ids
    }

    /// Adds an effect to those that these waiters wait for.
    mutating func join(_ ref: EffectRef, _ ids: [ID]) {
        for id in ids where settlings[id]?.outstanding.insert(ref).inserted == true {
            byEffect[ref, default: []].append(id)
            touched.insert(id)
        }
    }

    /// Ends an effect.
    ///
    /// - Parameter outcome: Its outcome; `nil` for a sequence, which replies don't show.
    /// - Returns: The waiters that have no effect left to wait for.
    mutating func end(_ ref: EffectRef, _ outcome: Reply.EffectOutcome?) -> [ID] {
        guard let ids = byEffect.removeValue(forKey: ref) else { return [] }
        var done: [ID] = []
        for id in ids {
            guard settlings[id]?.end(ref, outcome) != nil else { continue }
            touched.insert(id)
            if settlings[id]?.outstanding.isEmpty == true { done.append(id) }
        }
        return done
    }

    mutating func setSent(_ sent: Reply.Sent, of id: ID) {
        settlings[id]?.sent = sent
        waiters[id]?.applied = (sent.version, sent.cursor)
    }

    // MARK: Ends

    /// Removes and returns at most `limit` waiters whose deadline has passed, the earliest first.
    mutating func removeExpired(at now: Timestamp, limit: Int) -> [Waiter] {
        var expired: [Waiter] = []
        while expired.count < limit, let first = deadlines.first, first.deadline <= now,
            let waiter = remove(first.id)
        {
            expired.append(waiter)
        }
        return expired
    }

    mutating func endBatch() {
        for id in touched { waiters[id]?.isNew = false }
        touched.removeAll()
    }
}

extension WaiterTable.Settling {
    fileprivate mutating func end(_ ref: EffectRef, _ outcome: Reply.EffectOutcome?) {
        outstanding.remove(ref)
        guard var outcome, outcomes.count < Limits.effectsPerStepMax else { return }
        if outcome.instance == home { outcome.instance = nil }
        outcomes.append(outcome)
    }
}
