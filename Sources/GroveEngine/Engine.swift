public import Transducers

/// The bounds of an engine that its host may choose.
public struct EngineOptions: Sendable {
    /// Instances kept in memory; idle ones past it are dropped and read again when needed.
    public var residentInstancesMax = Limits.residentInstancesDefault

    /// Bytes that the states and effects of instances in memory have, as they are stored; idle
    /// instances past it are dropped and read again when needed.
    public var residentBytesMax = Limits.residentBytesDefault

    /// Requests that may wait for one commit; more are answered `OVERLOADED`.
    public var queueRequestsMax = Limits.commitQueueRequestsDefault

    /// Bytes of subscription records that may be on their way to one connection before its
    /// subscriptions pause: half of the connection's `max_pending`.
    public var connectionWindow = 4 << 20

    /// Bytes of subscription records that may be on their way to all connections together before
    /// subscriptions pause that have some: half of the server's `max-buffers`.
    public var publicationsWindow = 128 << 20

    /// Closures of effects that run or wait; a step that asks for more is refused.
    public var closuresMax = Limits.closuresMax

    /// The handlers that effects may ask for.
    public var handlers: [String: HandlerTraits] = [:]

    /// Where tokens, jitter and random spacing come from. A server gives the system's; the
    /// default repeats itself, for tests.
    public var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 0)

    /// Whoever notes for whom code of a machine runs; `nil` for nobody.
    public var witness: (any StepWitness & Sendable)?

    /// The bounds of one step.
    public var step = StepLimits(
        immediateEvents: Limits.immediateEventsMax, outputs: Limits.outputsPerStepMax,
        outputBytes: Limits.outputBytesPerStepMax, stateBytes: Limits.stateBytesMax)

    /// The default bounds.
    public init() {}
}

/// The state machine that hosts state machines.
///
/// A value that does no I/O and reads no clock: requests go in through ``take(_:at:store:)``,
/// which works on candidate states in memory; ``flush(to:at:)`` commits everything taken in one
/// transaction and only then hands out the replies and records that speak of it. A store is
/// handed in with every call and only read, but for that one commit. It can't be copied: two
/// copies of one engine would both believe they own the store.
public struct Engine: ~Copyable {
    let catalogue: Catalogue
    /// The log in which effects begin now (``LogID/digits``).
    let log: String
    private(set) var options: EngineOptions
    var instances = InstanceTable()
    var subscriptions: SubscriptionTable
    var batch: Batch
    var scratch = StepBuffer()

    /// The instances that the batch changed.
    var dirty: [InstanceTable.Place] = []
    /// Names that the batch deleted and did not create anew.
    var deleted: Set<InstanceName> = []
    /// Dedup records of the batch.
    var pendingDedups: [DedupKey: DedupEntry] = [:]
    var lastNumber: InstanceNumber
    var counters = Counters()
    /// What has to be done for effects in this batch or the next.
    var effectWork = EffectWork()
    /// Which handlers are at work for which effects.
    var lanes = LaneTable()
    /// The closures among the effects.
    var closures = ClosureTable()
    var random: any RandomNumberGenerator & Sendable
    /// Requests whose answers wait.
    var waiters = WaiterTable()
    /// Requests for copies of the store, until the next flush.
    var backups: [Request] = []
    /// Pages that are read in turns.
    var pages = PageReadQueue()
    /// Pages that the batch has begun to read.
    var pageTurns = 0
    /// Whether the next turn of work is one for pages.
    var isTurnOfPages = false
    /// What is held.
    var holds: HoldTable
    /// Machines that aren't tried out for `describe`, because that has ended the process: they are
    /// described by what was observed. For the start of a server.
    public var undescribed: Set<String> = []
    /// For whom code of a machine runs, where somebody notes it.
    var witnessed: Witnessed?
    /// From where on the journal holds steps.
    var floors: JournalFloors
    /// What the effects of the step under way follow from.
    var cause = EffectCause()
    /// Whether the last commit that wrote something failed for lack of room, and there was none
    /// either when ``checkRoom(store:)`` looked last.
    public private(set) var isDiskFull = false
    /// What it cost the last time to hold a step against one selection, with what came of it, in
    /// parts of ``Limits/publishingWorkMax``.
    var workOfOneSelection = 1
    /// Set when the store can't be trusted any more; every later call throws it.
    var failure: StoreError?

    struct DedupKey: Hashable {
        var number: InstanceNumber
        var key: [UInt8]
    }

    struct Counters {
        var requests: Int64 = 0
        var steps: Int64 = 0
        var refusals: Int64 = 0
        var retired: Int64 = 0
        /// Those among the batch's deletions that nobody asked for.
        var retiring: Int64 = 0
        var batches: Int64 = 0
        var published: Int64 = 0
        var fullDisks: Int64 = 0
    }

    /// An engine over what a store holds.
    public init(catalogue: Catalogue, store: any Store, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        self.options = options
        log = store.logID.digits
        batch = Batch(writes: WriteSet(firstSequence: store.head + 1))
        subscriptions = SubscriptionTable(
            windowBytes: options.connectionWindow, totalBytes: options.publicationsWindow)
        subscriptions.published = Cursor(sequence: store.head)
        lastNumber = store.lastInstanceNumber
        floors = store.floors
        holds = HoldTable(store.holds)
        random = options.random
        var handlers = options.handlers
        handlers[Self.closureLane] = HandlerTraits(concurrencyMax: options.closuresMax)
        lanes = LaneTable(handlers)
        // Drawn from a copy: what a seed gives doesn't depend on whether there are closures.
        var drawn = options.random
        scratch.closures = HostedClosures(first: drawn.next())
    }

    /// Takes the bounds that may change while it runs: how many instances it keeps, how large, and
    /// how many requests may wait. The others stay as they were.
    public mutating func reconfigure(_ changed: EngineOptions) {
        options.residentInstancesMax = changed.residentInstancesMax
        options.residentBytesMax = changed.residentBytesMax
        options.queueRequestsMax = changed.queueRequestsMax
        guard options.publicationsWindow != changed.publicationsWindow else { return }
        options.publicationsWindow = changed.publicationsWindow
        subscriptions.setTotalWindow(changed.publicationsWindow)
    }

    /// The journal's head as it will be after the batch.
    var head: JournalPosition {
        batch.writes.firstSequence + JournalPosition(batch.writes.journalEnds.count) - 1
    }

    /// Takes one request: applies it to candidate states in memory and holds its answer until
    /// ``flush(to:at:)``.
    ///
    /// - Precondition: ``mustFlush(before:)`` is false.
    /// - Throws: when a read of the store failed in a way after which the process must end. What
    ///   concerns one request or instance alone is an answer, not a throw.
    public mutating func take(
        _ request: Request, at now: Timestamp, store: any Store
    ) throws(StoreError) {
        if let failure { throw failure }
        counters.requests += 1
        let outcome: Outcome
        if batch.replies.count >= options.queueRequestsMax {
            outcome = Outcome(.failure(.overloaded))
        } else {
            outcome = perform(request, at: now, store: store)
        }
        cause = EffectCause()
        if outcome.isHeld { return }
        if case .failure = outcome.reply { counters.refusals += 1 }
        batch.hold(
            Actions.ReplyTo(
                connection: request.connection, token: request.token, reply: outcome.reply),
            needsCommit: outcome.needsCommit, to: request)
        if let failure { throw failure }
    }

    /// Takes requests in their order until the batch holds as many bytes as one commit should, or
    /// one comes that needs a commit before it.
    ///
    /// - Parameters:
    ///   - burst: The requests of one readiness event.
    ///   - place: Which of them comes next. Where it is not the end of the burst afterwards, the
    ///     batch is to be flushed before it is called again.
    ///   - now: The present time.
    ///   - store: The store.
    ///   - hasTime: Whether there is time for another one on top of so many bytes; asked behind
    ///     each.
    /// - Returns: Whether the batch may take more.
    @discardableResult public mutating func take(
        _ burst: [Request], from place: inout Int, at now: Timestamp, store: any Store,
        while hasTime: (_ bytes: Int) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        while place < burst.count {
            if mustFlush(before: burst[place]) { return false }
            try take(burst[place], at: now, store: store)
            place += 1
            if isBatchFull || !hasTime(batch.bytes) { return false }
        }
        return true
    }

    /// Whether what comes on top is better left to the next commit.
    private var isBatchFull: Bool {
        batch.bytes >= Limits.batchBytesMax || dirty.count >= Limits.batchInstancesMax
            || batch.selections >= Limits.batchPublishingWorkMax / workOfOneSelection
    }

    /// An answer, and whether it is true only after the batch's commit.
    struct Outcome {
        var reply: Reply
        var needsCommit: Bool
        /// Whether the answer comes later.
        var isHeld = false

        /// The answer comes later.
        static var held: Outcome {
            var outcome = Outcome(.done)
            outcome.isHeld = true
            return outcome
        }

        init(_ reply: Reply, needsCommit: Bool = false) {
            self.reply = reply
            self.needsCommit = needsCommit
        }
    }

    private mutating func perform(
        _ request: Request, at now: Timestamp, store: any Store
    ) -> Outcome {
        switch request.operation {
        case .send(let send) where send.settle != .none:
            sendAndSettle(send, of: request, at: now, store: store)
        case .send(let send): self.send(send, at: now, store: store)
        case .create(let create): self.create(create, at: now, store: store)
        case .get(let get): self.get(get, store: store)
        case .list(let list): self.list(list, of: request, store: store)
        case .history(let history):
            page(.history(HistoryRead(history)), of: request, store: store)
        case .subscribe(let subscribe):
            self.subscribe(subscribe, of: request.connection, at: now, store: store)
        case .unsubscribe(let name): unsubscribe(name, of: request.connection)
        case .credit(let name, let count): credit(count, to: name, of: request.connection)
        case .stop(let name, let reason): stop(name, reason: reason, at: now, store: store)
        case .delete(let name): delete(name, reason: nil, at: now, store: store)
        case .definitions: definitions()
        case .stats: statistics(store: store)
        case .effects(let query): effects(query, of: request, store: store)
        case .cancel(let name, let choice): cancel(name, choice, at: now, store: store)
        case .retry(let name, let run?, let event):
            retry(name, run: run, event: event, at: now, store: store)
        case .retry(let name, nil, _): retry(name, at: now, store: store)
        case .suspend(let subject, let reason):
            suspend(subject, reason: reason, at: now, store: store)
        case .resume(let subject): resume(subject, at: now, store: store)
        case .complete(let token, let answer): complete(token, answer, at: now, store: store)
        case .await(let wanted): wait(for: wanted, of: request, at: now, store: store)
        case .batch(let items): apply(items, at: now, store: store)
        case .can(let can): self.can(can, store: store)
        case .describe(let query): describe(query, store: store)
        case .importing(let item): importInstance(item, at: now, store: store)
        case .backup: hold(request)
        }
    }

    /// Leaves a request to whoever drives the engine.
    private mutating func hold(_ request: Request) -> Outcome {
        backups.append(request)
        return .held
    }

    /// Commits everything that was taken in one transaction and hands out what may then be told.
    ///
    /// A full disk is an answer: every request that needed the commit is refused with
    /// `STORAGE_FULL`, the instances are as before, and reads and subscriptions go on: a read of
    /// what the batch had made is answered from what was there before. The same with `EVAL_LIMIT`
    /// where something is larger than the store takes, which the bounds of a step don't let happen.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - now: The present time.
    ///   - limit: How many effects of the batch are settled, those of ``settle(upTo:at:store:)``
    ///     counted.
    /// - Throws: any other failure of the store. The outcome of the batch is then unknown; the
    ///   process must end without another answer (reliability.md, P8).
    public mutating func flush(
        to store: any Store, at now: Timestamp, settling limit: Int = Limits.effectsPerBatchMax
    ) throws(StoreError) -> Actions {
        if let failure { throw failure }
        cause = EffectCause()
        expireWaiters(at: now)
        settleEffects(upTo: limit, at: now, store: store)
        if let failure { throw failure }
        rewriteStaleSnapshots()
        var actions = Actions()
        do throws(StoreError) {
            let released = try batch.commit(to: store)
            actions.replies = released.replies
            releaseWaiters(into: &actions)
            try releaseEffects(into: &actions, at: now, store: store)
            if !batch.writes.isEmpty {
                counters.batches += 1
                isDiskFull = false
            }
            counters.retired += counters.retiring
            counters.retiring = 0
            publish(released.steps, at: now, into: &actions)
            subscriptions.published = Cursor(sequence: store.head)
            forgetBatch(store: store)
            instances.shrink(to: options.residentInstancesMax, bytes: options.residentBytesMax)
        } catch .full {
            counters.fullDisks += 1
            isDiskFull = true
            actions.replies = giveUp(.storageFull, at: now, store: store)
        } catch .tooLarge(let what) {
            let refusal = Failure.evaluationLimit("the commit was refused as a whole: \(what)")
            actions.replies = giveUp(refusal, at: now, store: store)
        } catch {
            failure = error
            throw error
        }
        if !backups.isEmpty { swap(&actions.backups, &backups) }
        return actions
    }

    /// Looks whether there is room again, if the last commit found none. So that it is known also
    /// where nobody writes.
    ///
    /// - Throws: what ``flush(to:at:)`` throws.
    public mutating func checkRoom(store: any Store) throws(StoreError) {
        if let failure { throw failure }
        guard isDiskFull else { return }
        do throws(StoreError) {
            try store.checkRoom()
            isDiskFull = false
        } catch .full {
            // There may be room the next time.
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func rewriteStaleSnapshots() {
        for place in dirty where instances.residents[place].isWriteStale {
            batch.writes.rewrite(
                instances.residents[place].writeIndex, as: instances.residents[place].stored)
        }
    }

    private mutating func forgetBatch(store: any Store) {
        for place in dirty {
            instances.residents[place].isDirty = false
            instances.residents[place].isNew = false
            instances.residents[place].effects?.endBatch()
            instances.weigh(place)
        }
        holds.endBatch()
        beginBatch(store: store)
    }

    /// Nothing of the batch was written: everybody who relied on it is refused.
    private mutating func giveUp(
        _ refusal: Failure, at now: Timestamp, store: any Store
    ) -> [Actions.ReplyTo] {
        giveUpEffects(at: now)
        var waited: [Actions.ReplyTo] = []
        giveUpWaiters(refusal, into: &waited)
        return giveUpBatch(refusal, at: now, store: store) + waited
    }

    private mutating func giveUpBatch(
        _ refusal: Failure, at now: Timestamp, store: any Store
    ) -> [Actions.ReplyTo] {
        counters.retiring = 0
        // The candidate states are lost on purpose: the store has the truth.
        dropCandidates()
        holds.giveUpBatch()
        subscriptions.clip(to: store.head)
        var given = Batch(writes: WriteSet(firstSequence: store.head + 1))
        swap(&given, &batch)
        beginBatch(store: store)
        lastNumber = store.lastInstanceNumber
        pages.restartAll(head: store.head)
        return given.giveUp(refusal, head: store.head) { request in
            let outcome = perform(request, at: now, store: store)
            return outcome.isHeld ? nil : outcome.reply
        }
    }

    /// Forgets the instances that the batch changed.
    mutating func dropCandidates() {
        // From the back, so that a place still to come is not taken by the last one.
        for place in dirty.sorted(by: >) { instances.remove(at: place) }
        dirty.removeAll(keepingCapacity: true)
    }

    private mutating func beginBatch(store: any Store) {
        batch.begin(at: store.head + 1)
        pageTurns = 0
        dirty.removeAll(keepingCapacity: true)
        deleted.removeAll()
        pendingDedups.removeAll()
    }

    /// Commits made since the engine is there.
    public var commits: Int64 { counters.batches }

    func definitions() -> Outcome {
        let items = catalogue.all.map { definition in
            var item = Reply.DefinitionItem(definition)
            item.held = holds[.machine(definition.name)]?.kind
            return Reply.Hosted(definition: item, takes: definition.takes)
        }
        return Outcome(
            .definitions(items),
            needsCommit: catalogue.all.contains { holds.isPending(.machine($0.name)) })
    }

    func statistics(store: any Store) -> Outcome {
        Outcome(.statistics(numbers(store: store)))
    }

    /// Counters and gauges of engine and store by name.
    public func numbers(store: any Store) -> [(name: String, value: Int64)] {
        let own: [(name: String, value: Int64)] = [
            ("engine_requests", counters.requests), ("engine_steps", counters.steps),
            ("engine_refusals", counters.refusals),
            ("engine_full_disks", counters.fullDisks),
            ("records_published", counters.published),
            ("effects_under_way", Int64(lanes.underWay)),
            ("requests_waiting", Int64(waiters.count)),
            ("pages_waiting", Int64(pages.count)), ("instances_retired", counters.retired),
            ("instances_resident", Int64(instances.count)),
            ("instances_resident_bytes", Int64(instances.bytes)),
            ("instances_set_aside", Int64(holds.instances(.setAside))),
            ("instances_suspended", Int64(holds.instances(.suspended))),
            ("machines_set_aside", Int64(holds.machines(.setAside))),
            ("machines_suspended", Int64(holds.machines(.suspended))),
            ("subscriptions", Int64(subscriptions.count)),
        ]
        return own + store.statistics()
    }
}

extension Reply.DefinitionItem {
    init(_ definition: Definition) {
        self.init(name: definition.name, version: definition.version, hash: definition.hash)
    }
}
