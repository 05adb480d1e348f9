/// Requests whose answers wait: for effects (`send` with `settle`) or for a state (`await`).
/// Bounded; in memory only, because whoever waits is gone after a crash.
struct WaiterTable {
    typealias ID = Int

    /// One request that waits.
    struct Waiter {
        let connection: ConnectionID
        let token: UInt32
        let deadline: Timestamp
        var subject: Subject
        /// Whether it began in the batch that isn't committed yet.
        var isNew = true

        /// The refusal of one that has waited for too long.
        var timeout: Failure {
            if case .effects(let settling) = subject {
                .timeout(isRepeatable: settling.hasKey)
            } else {
                .timeout(isRepeatable: true)
            }
        }
    }

    /// What it waits for.
    enum Subject {
        /// That these effects end; `isTree` when what follows from them counts too.
        case effects(Settling)
        /// That an instance is in a state, or done.
        case state(InstanceName, Await.Condition)
    }

    /// The effects that an answer waits for.
    struct Settling {
        let home: InstanceName
        let isTree: Bool
        /// Whether the event can be sent again without being applied again.
        let hasKey: Bool
        var sent: Reply.Sent
        var outstanding: Set<EffectRef> = []
        var outcomes: [Reply.EffectOutcome] = []
    }

    private var waiters: [ID: Waiter] = [:]
    private var byEffect: [EffectRef: [ID]] = [:]
    private var byName: [InstanceName: [ID]] = [:]
    private var byConnection: [ConnectionID: Set<ID>] = [:]
    /// The latest first, so that the next one is taken off the end.
    private var deadlines: [(deadline: Timestamp, id: ID)] = []
    private var lastID: ID = 0
    /// Waiters that the batch under way has told something.
    private(set) var touched: Set<ID> = []

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }
    var hasNames: Bool { !byName.isEmpty }

    /// When the next one gives up.
    var nextDeadline: Timestamp? { deadlines.last?.deadline }

    subscript(id: ID) -> Waiter? { waiters[id] }

    /// The id that the next waiter gets.
    mutating func takeID() -> ID {
        lastID += 1
        return lastID
    }

    mutating func insert(_ waiter: Waiter, id: ID) {
        waiters[id] = waiter
        byConnection[waiter.connection, default: []].insert(id)
        if case .state(let name, _) = waiter.subject { byName[name, default: []].append(id) }
        var (low, high) = (0, deadlines.count)
        while low < high {
            let middle = (low + high) / 2
            if deadlines[middle].deadline > waiter.deadline {
                low = middle + 1
            } else {
                high = middle
            }
        }
        deadlines.insert((waiter.deadline, id), at: low)
        touched.insert(id)
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        byConnection[waiter.connection]?.remove(id)
        if byConnection[waiter.connection]?.isEmpty == true {
            byConnection[waiter.connection] = nil
        }
        switch waiter.subject {
        case .effects(let settling):
            for ref in settling.outstanding { forget(id, of: ref) }
        case .state(let name, _):
            byName[name]?.removeAll { $0 == id }
            if byName[name]?.isEmpty == true { byName[name] = nil }
        }
        deadlines.removeAll { $0.id == id }
        return waiter
    }

    private mutating func forget(_ id: ID, of ref: EffectRef) {
        byEffect[ref]?.removeAll { $0 == id }
        if byEffect[ref]?.isEmpty == true { byEffect[ref] = nil }
    }

    /// Forgets who waits on a connection.
    ///
    /// - Returns: The tokens of their requests.
    mutating func removeAll(of connection: ConnectionID) -> [UInt32] {
        (byConnection[connection] ?? []).sorted().compactMap { remove($0)?.token }
    }

    /// Who waits for an effect; with `isTree`, only who waits for what follows from it too.
    func waiting(for ref: EffectRef, isTree: Bool = false) -> [ID] {
        guard let ids = byEffect[ref] else { return [] }
        guard isTree else { return ids }
        return ids.filter { id in
            if case .effects(let settling)? = waiters[id]?.subject {
                settling.isTree
            } else {
                false
            }
        }
    }

    /// Who waits for a state of an instance.
    func waiting(for name: InstanceName) -> [ID] { byName[name] ?? [] }

    /// Has waiters wait for one more effect.
    mutating func join(_ ref: EffectRef, _ ids: [ID]) {
        for id in ids {
            guard case .effects(var settling)? = waiters[id]?.subject,
                settling.outstanding.insert(ref).inserted
            else { continue }
            waiters[id]?.subject = .effects(settling)
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
            guard case .effects(var settling)? = waiters[id]?.subject else { continue }
            settling.outstanding.remove(ref)
            if var outcome, settling.outcomes.count < Limits.effectsPerStepMax {
                if outcome.instance == settling.home { outcome.instance = nil }
                settling.outcomes.append(outcome)
            }
            waiters[id]?.subject = .effects(settling)
            touched.insert(id)
            if settling.outstanding.isEmpty { done.append(id) }
        }
        return done
    }

    /// Says what the event itself has come to, once that is known.
    mutating func setSent(_ sent: Reply.Sent, of id: ID) {
        guard case .effects(var settling)? = waiters[id]?.subject else { return }
        settling.sent = sent
        waiters[id]?.subject = .effects(settling)
    }

    /// Those whose time is over.
    func expired(at now: Timestamp) -> [ID] {
        deadlines.reversed().prefix { $0.deadline <= now }.map(\.id)
    }

    /// The batch is committed, or given up.
    mutating func endBatch() {
        for id in touched { waiters[id]?.isNew = false }
        touched.removeAll()
    }
}

/// What an effect follows from.
struct EffectCause {
    /// The dedup key of the first event.
    var request: String?
    /// Who waits for it.
    var waiters: [WaiterTable.ID] = []
}
