import GroveAccess
import OrderedJSON
import Transducers

/// The state machine that hosts state machines.
///
/// A value that does no I/O and reads no clock: requests go in through ``receive(_:at:store:)``,
/// which works on candidate states in memory. ``flush(to:at:settling:)`` commits all of them in
/// one transaction, and only then releases the replies and records. A store is passed in with each
/// call and only read, except for that one commit. It can't be copied: two copies of one engine
/// would both believe they own the store.
public struct Engine: ~Copyable {
    /// The machines, with the definitions of the batch.
    var catalogue: Catalogue
    var options: EngineOptions
    var instances = InstanceTable()
    var subscriptions: SubscriptionTable
    /// All that isn't committed yet.
    var batch: Batch
    var scratch = StepBuffer(texts: TextMemory(slots: Limits.rememberedTextsMax))
    let draft = RecordDraft()
    var counters = Counters()
    /// Due effects, running handlers, and reports that wait for disk space.
    var schedule: EffectSchedule
    var closures = ClosureTable()
    var waiters = WaiterTable()
    var pages = PageReadQueue()
    var descriptions = DescriptionCounts()
    /// Suspended machines and instances, and those that are set aside.
    var holds: HoldTable
    /// The accounts, with the changes of the batch.
    package internal(set) var access: AccessDirectory
    /// The instance whose machine's code runs, for the witness.
    var witnessed: Witnessed?
    /// The store's condition, and the oldest steps in its journal.
    var storage: StorageStatus
    public var backup = BackupSession()

    /// The number of hosted machines, with those as data.
    package var machineCount: Int { catalogue.all.count }

    /// The machines that have instances and aren't hosted, with the number of those that aren't
    /// done, by name.
    package func unhosted(in store: any Store) -> [(machine: String, instances: Int64)] {
        store.machineCounts
            .filter { catalogue[$0.key] == nil && $0.value.instances > $0.value.done }
            .map { (machine: $0.key, instances: $0.value.instances - $0.value.done) }
            .sorted { $0.machine < $1.machine }
    }

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
        var expired: Int64 = 0
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

    public init(catalogue: Catalogue, store: any Store, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        self.options = options
        batch = Batch(head: store.head, lastNumber: store.lastInstanceNumber)
        subscriptions = SubscriptionTable(
            windowBytes: options.connectionWindow, totalBytes: options.publicationsWindow)
        subscriptions.published = Cursor(sequence: store.head)
        storage = StorageStatus(floors: store.floors)
        holds = HoldTable(store.holds)
        access = AccessDirectory(AccountsTable(store.accounts.rows))
        var handlers = options.handlers
        handlers[Self.closureQueue] = HandlerTraits(concurrencyMax: options.closuresMax)
        schedule = EffectSchedule(log: store.logID.digits, handlers: handlers)
        // Drawn from a copy: what a seed gives doesn't depend on whether there are closures.
        var drawn = options.random
        scratch.closures = HostedClosures(first: drawn.next())
    }

    /// Applies the bounds that may change at run time: of instances in memory, their bytes, waiting
    /// requests, and records to all connections.
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

    /// Applies one request to candidate states in memory, and holds its reply until
    /// ``flush(to:at:)``.
    ///
    /// - Precondition: ``mustFlush(before:)`` is false.
    /// - Throws: when the store can't be read at all; the process must end. A failure of one
    ///   request or instance is a reply, not a throw.
    public mutating func receive(
        _ request: borrowing Request, at now: Timestamp, store: any Store
    ) throws(StoreError) {
        let turn = Turn(now: now, store: store)
        if let failure = storage.failure { throw failure }
        counters.requests += 1
        batch.beginAnswer()
        let isOverloaded = batch.replyCount >= options.queueRequestsMax
        batch.by = access.accounts.isOpen ? 0 : request.caller.principal
        defer { batch.by = 0 }
        batch.cause.begin(request.trace)
        let reply =
            isOverloaded
            ? .failure(.overloaded)
            : refusal(of: request).map { .failure($0) } ?? perform(request, in: turn)
        batch.cause.end()
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
    ///   - place: The index of the next request in it.
    ///   - boundsPages: Whether requests wait while many pages of their connection are being read,
    ///     or many descriptions made.
    ///   - hasTime: Whether there is time for another request; called after each, with the bytes of
    ///     the batch.
    /// - Returns: Whether the batch may take more. If it may and `place` isn't the end, the next
    ///   request waits until a page or description is answered. If it may not, flush it first.
    @discardableResult public mutating func receive(
        _ burst: ArraySlice<Request>, from place: inout Int, at now: Timestamp, store: any Store,
        boundsPages: Bool = true, while hasTime: (_ bytes: Int) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        // By address, because an array's element is copied for each call, and a buffer's too.
        let first = burst.startIndex
        return try burst.withUnsafeBufferPointer { (burst) throws(StoreError) in
            guard let requests = burst.baseAddress else { return true }
            lookAhead(beforeFirstIn: requests, count: burst.count)
            while place - first < burst.count {
                let index = place - first
                if boundsPages, mustWait(requests[index]) { return true }
                if mustFlush(before: requests[index]) { return false }
                lookAhead(from: index + 1, in: requests, count: burst.count)
                try receive(requests[index], at: now, store: store)
                place += 1
                if isBatchFull || !hasTime(batch.bytes) { return false }
            }
            return true
        }
    }

    /// Whether more requests should wait for the next commit.
    private var isBatchFull: Bool {
        batch.bytes >= Limits.batchBytesMax || batch.dirty.count >= Limits.batchInstancesMax
            || batch.writes.effects.count >= Limits.batchEffectRowsMax
            || batch.descriptions >= Limits.descriptionsPerBatch
            || batch.selections
                >= Limits.batchPublishingWorkMax / subscriptions.workOfOneSelection
    }

    public var batchBytes: Int { batch.bytes }

    /// The number of commits since the engine was created.
    public var commits: Int64 { counters.batches }
}
