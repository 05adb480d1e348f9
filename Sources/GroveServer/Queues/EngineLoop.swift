import Dispatch
import GroveEffects
import GroveEngine
import GroveNetwork
import GroveStorage
import Logging
import Transducers

/// Engine and store on their queue: the right side of architecture.md, "The way of one event".
///
/// Group commit without a timer: the first burst after a commit posts a flush after all blocks that
/// wait on the queue by then, so all requests that came during the last commit are committed
/// together.
actor EngineLoop: QueueActor {
    nonisolated let executor: QueueExecutor
    /// Ends this queue's wait for sockets, when something is posted to it.
    nonisolated let waker = PollerWaker()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Engine and store, confined to the queue.
    final class Core {
        var engine: Engine
        let store: any Store

        init(engine: consuming Engine, store: any Store) {
            self.engine = engine
            self.store = store
        }
    }

    private let source: StoreSource
    /// The store's name, for the log.
    nonisolated var sourceName: String { source.name }
    var log: Logger
    /// Decides when the log reports a full disk.
    var diskNotice = ConditionNotice()
    /// Limits lines about stored data that can't be read.
    var unreadableLines = LogThrottle()
    /// The file that records the instance whose code runs.
    private var crashFile: CrashFile?
    /// The result of the commit at opening, until there is a receiver.
    var opening: Ready?
    /// The engine's count of changes of holds that the io side received last.
    private var holdChanges = 0
    private let fatal: @Sendable (StoreError) -> Void
    var receiver: (any ReadyReceiver)?
    private var effects: EffectRunner?
    var core: Core?
    private var timer: (any DispatchSourceTimer)?
    /// Waiting requests.
    var intake = Intake(windowBytes: EngineOptions().connectionWindow)
    /// Requests of the batch that were applied.
    private var applied: [ArraySlice<Request>] = []
    /// Bytes of large replies since the io side was last waited for.
    var undelivered = 0
    /// Whether the io side has too much to write, so that no requests are dequeued.
    var isReceiverBehind = false
    /// Connections that have ended, and whose last requests are in the batch.
    private var ended: [ConnectionID] = []
    /// The duration of the last commit; 0 without anything to commit.
    var commitMicroseconds: Int64 = 0
    var isFlushPosted = false
    private var isWorkPosted = false
    /// Turns of work whose records, and commits of due effects whose answers, are still on their
    /// way to the connections.
    private var turnsOnTheWay = 0
    /// Whether the next turn waits, so that answers to others don't wait for those of many turns.
    private var isDelivering: Bool { turnsOnTheWay >= Self.turnsOnTheWayMax }
    /// Whether the timer has fired since the last flush.
    private var isTimerDue = false
    /// Whether the timer fired while earlier turns were delivered.
    private var isTimerPostponed = false
    /// Whether a turn of work waits for the flush of the open batch.
    private var isWorkDeferred = false
    var isBackupPosted = false
    private var housekeeping: Housekeeping
    private var isHousekeepingPosted = false
    /// The number of due effects to start per turn: as many as finish in their time.
    private var dueLimit = Limits.effectsPerBatchMax
    /// Whether the last results had so few answers that this thread may send them.
    var hasFewAnswers = false
    /// See ``Self/fastCommitMicroseconds``.
    var fastCommitMicroseconds = EngineLoop.fastCommitMicroseconds
    /// See ``Self/intakeMicroseconds``.
    var intakeMicroseconds = EngineLoop.intakeMicroseconds
    /// Whether the requests that are applied now were read by ``readNextRequests()``.
    var isReadingHere = false
    /// Definitions that other threads read, and the requests that wait for them.
    var definitions = DefinitionQueue()
    /// Descriptions that another thread makes.
    var descriptions = LongWork<PendingDescription>(atOnce: EngineLoop.descriptionsAtOnce)
    /// Whether requests or reports came since the last turn of housekeeping.
    private var isBusy = false
    /// Fires when the next effect is due.
    private var alarm: (any DispatchSourceTimer)?
    /// When it fires; `nil` while it doesn't.
    private var alarmDue: Timestamp?

    /// A loop without a store yet.
    ///
    /// - Parameter fatal: Called once on this queue when the store can't be trusted any more; no
    ///   answer leaves the engine after that. It has to end the process (reliability.md, P8).
    init(
        source: StoreSource, retention: RetentionOptions, log: Logger,
        fatal: @escaping @Sendable (StoreError) -> Void
    ) {
        executor = QueueExecutor(label: "grove.engine") { [waker] in waker.wake() }
        self.source = source
        housekeeping = Housekeeping(retention, log: log)
        self.log = log
        self.fatal = fatal
    }

    // MARK: Control

    func open(
        catalogue compiled: Catalogue, examples: [Definition] = [], options: EngineOptions
    ) throws(StoreOpenError) -> (log: LogID, catalogue: Catalogue) {
        let store = try source.open()
        logOpening(store)
        crashFile = Self.crashFile(at: source.crashPath(store), log: log)
        var options = options
        options.witness = crashFile?.engine
        intake.setWindow(options.connectionWindow)
        let catalogue = try hosted(compiled.all, examples: examples, over: store)
        core = Core(
            engine: Engine(catalogue: catalogue, store: store, options: options), store: store)
        do throws(StoreError) {
            try containCrashes(crashFile, catalogue)
        } catch {
            throw .inputOutput("\(error)")
        }
        return (store.logID, catalogue)
    }

    /// The number of hosted machines.
    var machineCount: Int { core?.engine.machineCount ?? 0 }

    /// The slot that names the instance whose event is decoded; `nil` without a crash file.
    var decoderWitness: CrashSlot? { crashFile?.decoder }

    /// Logs that steps were redone after a crash. Logs that the data is a copy, which is another
    /// log now: subscribers restart.
    private func logOpening(_ store: any Store) {
        guard let store = store as? SQLiteStore else { return }
        if store.redoneSteps > 0 {
            log.info(
                "rows are brought up to date from the journal",
                metadata: ["steps": "\(store.redoneSteps)"])
        }
        guard let former = store.formerLogID else { return }
        log.notice(
            "the data file is a copy, opened for the first time: it has got another log id",
            metadata: ["copied": "\(former.digits)", "log": "\(store.logID.digits)"])
    }

    /// Starts the loop; results go to `receiver`, effects to a runner of these handlers.
    func start(_ receiver: any ReadyReceiver, handlers: EffectHandlers) {
        self.receiver = receiver
        effects = EffectRunner(handlers: handlers) { [weak self] reports in
            self?.post { $0.apply(reports) }
        }
        let alarm = DispatchSource.makeTimerSource(queue: executor.queue)
        alarm.setEventHandler { [weak self] in self?.assumeIsolated { $0.timerFired() } }
        alarm.schedule(deadline: .distantFuture)
        alarm.resume()
        self.alarm = alarm
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.tick() } }
        timer.resume()
        self.timer = timer
        if let ready = opening {
            opening = nil
            dispatch(ready)
        }
        if let core { housekeeping.inspect(core.engine.inspection()) }
        scheduleHousekeeping()
        // For effects that became due without a server, and those that were interrupted.
        postFlush()
    }

    /// Cancels running handlers and waits up to `grace`.
    func stopEffects(grace: Duration) async {
        alarm?.cancel()
        alarm = nil
        guard let effects else { return }
        self.effects = nil
        await effects.shutdown(grace: grace)
    }

    /// Changes bounds, the handler `http` of later attempts, and the level of the log.
    func reconfigure(
        _ options: EngineOptions, retention: RetentionOptions, http: EffectHandler?,
        logLevel: Logger.Level
    ) {
        log.logLevel = logLevel
        housekeeping.change(retention, logLevel: logLevel)
        core?.engine.reconfigure(options)
        if let http { effects?.replace(http) }
    }

    /// Commits all accepted requests, and sends every subscription its cursor for the last time.
    ///
    /// - Parameter milliseconds: The longest time for reading requested pages, and for making
    ///   descriptions.
    func finish(milliseconds: Int64) {
        repeat {
            isReceiverBehind = false
            fillBatch()
            flush()
        } while core != nil && !intake.isEmpty
        let deadline = Clock.uptime() + milliseconds
        while core?.engine.hasPages == true, Clock.uptime() < deadline {
            // No other answers wait any more.
            turnsOnTheWay = 0
            isReceiverBehind = false
            runWorkTurn()
            flush()
        }
        finishDescriptions(until: deadline)
        guard let core else { return }
        dispatch(core.engine.lastCheckpoints(at: Clock.time()))
    }

    /// Stops working and closes the store.
    func close() throws(StoreError) {
        timer?.cancel()
        timer = nil
        alarm?.cancel()
        alarm = nil
        guard let core else { return }
        self.core = nil
        core.engine.backup.end()
        crashFile?.end()
        crashFile = nil
        try source.close(core.store)
    }

    // MARK: Data path, by post

    /// Enqueues requests, those of each connection in turns with the others.
    func submit(_ bursts: [[Request]]) {
        isBusy = true
        for burst in bursts { intake.add(definitions.take(burst)) }
        readDefinitions()
        postFlush()
    }

    /// The time for filling one batch, in microseconds, at least and at most. It follows the
    /// duration of the last commit, so that many requests share a slow one. A request that comes
    /// then waits for one commit, and for the next with itself.
    static let intakeMicroseconds: ClosedRange<Int64> = 4_000...10_000

    /// The duration of a commit, in microseconds, above which connections with few requests get one
    /// without the others.
    static let longCommitMicroseconds: Int64 = 10_000

    /// Applies waiting requests until the time is over or the batch is full.
    private func fillBatch() {
        guard !intake.isEmpty, !isReceiverBehind else { return }
        let now = Clock.time()
        let range = intakeMicroseconds
        let end =
            Clock.microseconds()
            + min(range.upperBound, max(range.lowerBound, 2 * commitMicroseconds))
        intake.beginBatch(afterLongCommit: commitMicroseconds > Self.longCommitMicroseconds)
        while let turn = intake.next() {
            guard let core, let connection = turn.first?.connection else { return }
            var place = turn.startIndex
            let hasRoom: Bool
            // Pages for a closed connection are discarded, and not read.
            let isOpen = !intake.isEnding(connection)
            // One turn gives a connection no more large replies than its window has room for.
            let room = core.engine.batchBytes + intake.room(of: connection)
            do {
                hasRoom = try core.engine.receive(
                    turn, from: &place, at: now, store: core.store, boundsPages: isOpen,
                    while: { $0 < min(Self.batchBytesMax, room) && Clock.microseconds() < end })
            } catch {
                fail(error)
                return
            }
            if place < turn.endIndex {
                intake.putBack(turn[place...], waitsForPage: hasRoom)
            } else {
                applied.append(turn)
                if intake.hasEnded(connection) { ended.append(connection) }
            }
            guard hasRoom, Clock.microseconds() < end else { return }
        }
    }

    /// Removes a connection and its subscriptions after its last request.
    func connectionClosed(_ connection: ConnectionID) {
        if definitions.close(connection) { return }
        if !intake.end(connection) { remove(connection) }
    }

    private func remove(_ connection: ConnectionID) {
        abandonDescriptions(of: connection)
        intake.remove(connection)
        core?.engine.connectionClosed(connection)
        if core?.engine.hasOpenBatch == true { postFlush() }
    }

    /// Changes the bytes of records, and of large replies, that may be on their way to one
    /// connection.
    func setConnectionWindow(_ bytes: Int) {
        core?.engine.setConnectionWindow(bytes)
        intake.setWindow(bytes)
        if !intake.isEmpty { postFlush() }
        postWork()
    }

    func postFlush() {
        guard !isFlushPosted else { return }
        isFlushPosted = true
        post {
            $0.isFlushPosted = false
            $0.commitWaiting()
        }
    }

    /// Fills and commits batches for as long as one batch may take; the rest comes after all blocks
    /// that wait on the queue by now.
    private func commitWaiting() {
        let end = Clock.microseconds() + intakeMicroseconds.lowerBound
        repeat {
            fillBatch()
            flush()
            for connection in ended { remove(connection) }
            ended.removeAll(keepingCapacity: true)
        } while core != nil && !intake.isEmpty && !isReceiverBehind
            && Clock.microseconds() < end
        if !intake.isEmpty, !isReceiverBehind { postFlush() }
        readNextRequests()
    }

    func flush() {
        guard let core else { return }
        let begin = Clock.microseconds()
        let before = core.engine.commits
        do {
            let now = Clock.time()
            runDue(core, at: now)
            let ready = try core.engine.flush(to: core.store, at: now, settling: 0)
            let isCommit = core.engine.commits > before
            commitMicroseconds = isCommit ? Clock.microseconds() - begin : 0
            // First, so that a released instance's events are accepted when the answer arrives.
            if core.engine.holdChanges != holdChanges {
                holdChanges = core.engine.holdChanges
                sendHeartbeat()
            }
            dispatch(
                ready,
                of: isCommit
                    ? CommitStats(
                        microseconds: Clock.microseconds() - begin,
                        requests: ready.replies.count) : nil)
            if isTimerDue, !isDelivering { waitForDelivery() }
            isTimerDue = false
            // After the answers, which don't wait for it.
            try core.store.checkpoint()
        } catch {
            fail(error)
            return
        }
        // A posted turn would never come first under load, so it runs here.
        if isWorkDeferred { runWorkTurn() } else { postWork() }
    }

    /// The time for due effects per commit, in microseconds. The costs of effects differ by a
    /// factor of a hundred, and a client that sends an event waits for up to two such commits.
    static let dueMicroseconds: Int64 = 1_000

    /// Runs due effects for ``dueMicroseconds``.
    private func runDue(_ core: Core, at now: Timestamp) {
        let end = Clock.microseconds() + Self.dueMicroseconds
        var turn = core.engine.applyDue(upTo: 1, at: now, store: core.store)
        while turn.hasMore, Clock.microseconds() < end {
            turn = core.engine.applyDue(upTo: turn.done + 4, at: now, store: core.store)
        }
        dueLimit = turn.hasMore ? max(8, turn.done) : min(Limits.effectsPerBatchMax, 2 * dueLimit)
    }

    /// Replies after all queued work, so the delay shows how far the queue is behind.
    func sendHeartbeat() {
        if let heartbeat = heartbeat() { receiver?.receive(heartbeat) }
    }

    /// The engine's condition; `nil` once it is closed.
    func heartbeat() -> EngineHeartbeat? {
        guard let core else { return nil }
        return EngineHeartbeat(
            isDiskFull: core.engine.isDiskFull, trapped: core.engine.trapped,
            setAside: core.engine.setAside.count,
            numbers: core.engine.numbers(store: core.store))
    }

    func postWork() {
        // A flush under way comes first and posts this again.
        guard !isWorkPosted, !isFlushPosted, !isDelivering, !isReceiverBehind, let core,
            core.engine.hasBackgroundWork
        else {
            return
        }
        isWorkPosted = true
        post { $0.work() }
    }

    private func work() {
        isWorkPosted = false
        guard let core else { return }
        if core.engine.hasOpenBatch { isWorkDeferred = true } else { runWorkTurn() }
    }

    private func runWorkTurn() {
        isWorkDeferred = false
        guard !isDelivering, !isReceiverBehind, let core else { return }
        let ready: Ready
        do {
            ready = try core.engine.work(at: Clock.time(), store: core.store)
        } catch {
            fail(error)
            return
        }
        dispatch(ready)
        if !ready.publications.isEmpty { waitForDelivery() }
        // A page that shows uncommitted state waits for the commit.
        if core.engine.hasOpenBatch { postFlush() }
        postWork()
    }

    private func waitForDelivery() {
        guard receiver != nil else { return }
        turnsOnTheWay += 1
        afterReceiver { $0.resume() }
    }

    /// Runs `work` when the io side has sent all earlier results.
    func afterReceiver(_ work: @escaping @Sendable (isolated EngineLoop) -> Void) {
        receiver?.receive { [weak self] in self?.post(work) }
    }

    private func resume() {
        turnsOnTheWay = max(0, turnsOnTheWay - 1)
        if isTimerPostponed { timerFired() }
        postWork()
    }

    // MARK: Housekeeping

    /// Schedules all jobs of housekeeping that may be due.
    private func scheduleHousekeeping() {
        housekeeping.wake(at: Clock.time())
        postHousekeeping(pause: 0)
    }

    /// Posts the next turn, after a pause in nanoseconds and all blocks that wait by then.
    private func postHousekeeping(pause: UInt64) {
        guard !isHousekeepingPosted else { return }
        isHousekeepingPosted = true
        guard pause > 0 else { return post { $0.runHousekeepingTurn() } }
        executor.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
            self.assumeIsolated { $0.runHousekeepingTurn() }
        }
    }

    private func runHousekeepingTurn() {
        isHousekeepingPosted = false
        guard let core else { return }
        let begin = DispatchTime.now().uptimeNanoseconds
        let outcome: Housekeeping.Outcome
        do {
            outcome = try housekeeping.turn(&core.engine, core.store, at: Clock.time())
        } catch {
            fail(error)
            return
        }
        if outcome.needsFlush { postFlush() }
        guard outcome.hasMore else { return }
        // Uses at most 10 % of the queue's time under load.
        let took = DispatchTime.now().uptimeNanoseconds - begin
        postHousekeeping(pause: isBusy ? 9 * min(took, 100_000_000) : 0)
        isBusy = false
    }

    // MARK: Effects

    /// Applies the reports of handlers.
    private func apply(_ reports: [EffectReport]) {
        isBusy = true
        guard let core else { return }
        do {
            try core.engine.receive(reports, at: Clock.time(), store: core.store)
        } catch {
            fail(error)
            return
        }
        postFlush()
    }

    /// Starts due effects in the next commit: a bounded number, so that requests run in between.
    private func timerFired() {
        isTimerPostponed = isDelivering
        // The timer isn't scheduled again: ``resume()`` comes back here.
        guard !isDelivering else { return }
        alarmDue = nil
        isTimerDue = true
        guard alarm != nil, let core else { return }
        do {
            try core.engine.enqueueDue(at: Clock.time(), limit: dueLimit, store: core.store)
        } catch {
            fail(error)
            return
        }
        postFlush()
    }

    private func scheduleTimer() {
        guard let alarm, let core else { return }
        guard let due = core.engine.nextDue else {
            if alarmDue != nil { alarm.schedule(deadline: .distantFuture) }
            alarmDue = nil
            return
        }
        guard due != alarmDue else { return }
        alarmDue = due
        // A wait of more than an hour is checked again: the queue's clock may stop while the
        // computer sleeps.
        let wait = min(max(0, due.milliseconds - Clock.time().milliseconds), 3_600_000)
        alarm.schedule(deadline: .now() + .milliseconds(Int(wait)), leeway: .milliseconds(1))
    }

    private func tick() {
        // The queue's clock stops while the computer sleeps.
        if let alarmDue, alarmDue <= Clock.time() { timerFired() }
        lookAfterDisk()
        logDisk()
        unreadableLines.warnOverdue(log, "more that is stored can't be read", at: Clock.uptime())
        scheduleHousekeeping()
        core?.engine.backup.expire(at: Clock.time())
        guard let core, core.engine.hasSubscriptions, !isWorkPosted else { return }
        isWorkPosted = true
        post { $0.work() }
    }

    /// Probes for disk space after a commit failed, so that readiness recovers without a write.
    /// Then notices how the last move of the log ended, if no commit does. Called each second.
    private func lookAfterDisk() {
        guard let core else { return }
        do {
            try core.engine.probeDiskSpace(store: core.store)
            try core.store.checkpoint()
        } catch {
            fail(error)
        }
    }

    func dispatch(_ released: Ready, of commit: CommitStats? = nil) {
        var ready = released
        swap(&ready.applied, &applied)
        takeDescriptions(from: &ready)
        scheduleTimer()
        guard !ready.isEmpty || commit != nil else { return }
        effects?.run(ready.dispatches)
        effects?.cancel(ready.cancellations)
        for (answer, wasApplied) in ready.answers { answer(wasApplied) }
        logDisk()
        logUnreadable(ready.replies)
        hasFewAnswers = Self.isSmall(ready)
        if let receiver, !hasFewAnswers || !receiver.receiveNow(ready, of: commit) {
            receiver.receive(ready, of: commit)
        }
        ready.applied = []
        countReplies(ready)
        postBackup()
    }

    private func fail(_ error: StoreError) {
        guard core != nil else { return }
        core = nil
        timer?.cancel()
        timer = nil
        log.critical("the store failed", metadata: ["error": "\(error)"])
        fatal(error)
    }
}
