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
/// which works on candidate states in memory. ``flush(to:at:settling:)`` commits all of them in
/// one transaction, and only then releases the replies and records. A store is passed in with each
/// call and only read, except for that one commit. It can't be copied: two copies of one engine
/// would both believe they own the store.
public struct Engine: ~Copyable {
    let catalogue: Catalogue
    /// The bounds, and the generator of random numbers.
    var options: EngineOptions
    var instances = InstanceTable()
    var subscriptions: SubscriptionTable
    /// All that isn't committed yet.
    var batch: Batch
    /// The buffer for the outputs of the step under way.
    var scratch = StepBuffer()
    var counters = Counters()
    /// Effects that are due, handlers under way, and reports that wait for disk space.
    var schedule: EffectSchedule
    /// The closures among the effects.
    var closures = ClosureTable()
    /// Requests that wait for effects or states.
    var waiters = WaiterTable()
    /// Pages that are read in turns.
    var pages = PageReadQueue()
    /// Suspended machines and instances, and those that are set aside.
    var holds: HoldTable
    /// The instance whose machine code runs, where a witness wants to know.
    var witnessed: Witnessed?
    /// The store's condition, and the oldest steps in its journal.
    var storage: StorageStatus
    /// The copy of the store for a client.
    public var backup = BackupSession()

    /// Machines that `describe` doesn't try out, because that ended the process: observed steps
    /// describe them. Set when the server starts.
    public var undescribed: Set<String> {
        get { holds.undescribed }
        set { holds.undescribed = newValue }
    }

    /// Whether the last commit found the disk full, and so did ``probeDiskSpace(store:)`` since.
    public var isDiskFull: Bool { storage.isFull }

    struct Counters {
        var requests: Int64 = 0
        var steps: Int64 = 0
        var refusals: Int64 = 0
        var retired: Int64 = 0
        var batches: Int64 = 0
        var published: Int64 = 0
        var fullDisks: Int64 = 0
    }

    /// The condition of the store.
    struct StorageStatus {
        /// The oldest step in the journal, in total and per machine.
        var floors: JournalFloors
        var isFull = false
        /// Set when the store can't be trusted any more; every later call throws it.
        var failure: StoreError?
    }

    /// An engine over what a store holds.
    public init(catalogue: Catalogue, store: any Store, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        self.options = options
        batch = Batch(head: store.head, lastNumber: store.lastInstanceNumber)
        subscriptions = SubscriptionTable(
            windowBytes: options.connectionWindow, totalBytes: options.publicationsWindow)
        subscriptions.published = Cursor(sequence: store.head)
        storage = StorageStatus(floors: store.floors)
        holds = HoldTable(store.holds)
        var handlers = options.handlers
        handlers[Self.closureLane] = HandlerTraits(concurrencyMax: options.closuresMax)
        schedule = EffectSchedule(log: store.logID.digits, handlers: handlers)
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
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        counters.requests += 1
        batch.beginAnswer()
        let isOverloaded = batch.replyCount >= options.queueRequestsMax
        let reply =
            isOverloaded ? .failure(.overloaded) : perform(request, in: turn)
        batch.cause = EffectCause()
        guard let reply else { return }
        if case .failure = reply { counters.refusals += 1 }
        batch.hold(reply, to: request)
        if let failure = storage.failure { throw failure }
    }

    /// Takes requests in their order until the batch is as large as a commit should be, or one
    /// needs a commit before it, or waits for a page.
    ///
    /// - Parameters:
    ///   - burst: Requests of one connection.
    ///   - place: The index of the next request.
    ///   - now: The present time.
    ///   - store: The store.
    ///   - boundsPages: Whether requests wait while many pages of their connection are being read.
    ///   - hasTime: Whether there is time for another request; called after each, with the bytes of
    ///     the batch.
    /// - Returns: Whether the batch may take more. If it may and `place` isn't the end, the next
    ///   request waits until a page of its connection is answered. If it may not, flush it first.
    @discardableResult public mutating func take(
        _ burst: [Request], from place: inout Int, at now: Timestamp, store: any Store,
        boundsPages: Bool = true, while hasTime: (_ bytes: Int) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        while place < burst.count {
            if boundsPages, mustWait(burst[place]) { return true }
            if mustFlush(before: burst[place]) { return false }
            try take(burst[place], at: now, store: store)
            place += 1
            if isBatchFull || !hasTime(batch.bytes) { return false }
        }
        return true
    }

    /// Whether what comes on top is better left to the next commit.
    private var isBatchFull: Bool {
        batch.bytes >= Limits.batchBytesMax || batch.dirty.count >= Limits.batchInstancesMax
            || batch.selections
                >= Limits.batchPublishingWorkMax / subscriptions.workOfOneSelection
    }

    /// Answers a request; `nil` when the answer comes later.
    mutating func perform(_ request: Request, in turn: Turn) -> Reply? {
        switch request.operation {
        case .send(let send) where send.settle != .none:
            sendAndSettle(send, of: request, in: turn)
        case .send(let send): self.send(send, in: turn)
        case .create(let create): self.create(create, in: turn)
        case .get(let get): self.get(get, in: turn)
        case .list(let list): self.list(list, of: request, in: turn)
        case .history(let history):
            page(.history(HistoryRead(history)), of: request, in: turn)
        case .subscribe(let subscribe):
            self.subscribe(subscribe, of: request.connection, in: turn)
        case .unsubscribe(let name): unsubscribe(name, of: request.connection)
        case .credit(let name, let count): credit(count, to: name, of: request.connection)
        case .stop(let name, let reason): stop(name, reason: reason, in: turn)
        case .delete(let name): delete(name, reason: nil, in: turn)
        case .definitions: definitions()
        case .stats: statistics(store: turn.store)
        case .effects(let query): effects(query, of: request, in: turn)
        case .cancel(let name, let choice): cancel(name, choice, in: turn)
        case .retry(let name, let run?, let event):
            retry(name, run: run, event: event, in: turn)
        case .retry(let name, nil, _): retry(name, in: turn)
        case .suspend(let subject, let reason):
            suspend(subject, reason: reason, in: turn)
        case .resume(let subject): resume(subject, in: turn)
        case .complete(let token, let answer): complete(token, answer, in: turn)
        case .await(let wanted): wait(for: wanted, of: request, in: turn)
        case .batch(let items): apply(items, in: turn)
        case .can(let can): self.can(can, in: turn)
        case .describe(let query): describe(query, in: turn)
        case .importing(let item): importInstance(item, in: turn)
        case .backup: hold(request)
        }
    }

    /// Queues a request for a backup until the commit.
    private mutating func hold(_ request: Request) -> Reply? {
        batch.backups.append(request)
        return nil
    }

    /// Commits made since the engine is there.
    public var commits: Int64 { counters.batches }

    mutating func definitions() -> Reply {
        let items = catalogue.all.map { definition in
            var item = Reply.DefinitionItem(definition)
            item.held = holds[.machine(definition.name)]?.kind
            return Reply.Hosted(definition: item, takes: definition.takes)
        }
        batch.rely(on: catalogue.all.contains { holds.isPending(.machine($0.name)) })
        return .definitions(items)
    }

    func statistics(store: any Store) -> Reply {
        .statistics(numbers(store: store))
    }

    /// Counters and gauges of engine and store by name.
    public func numbers(store: any Store) -> [(name: String, value: Int64)] {
        let own: [(name: String, value: Int64)] = [
            ("engine_requests", counters.requests), ("engine_steps", counters.steps),
            ("engine_refusals", counters.refusals),
            ("engine_full_disks", counters.fullDisks),
            ("records_published", counters.published),
            ("effects_under_way", Int64(schedule.lanes.underWay)),
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
