import Dispatch
import GroveEffects
import GroveEngine
import GroveNetwork
import GroveStorage
import Logging
import Transducers

/// The io side, which sends replies and records to connections.
protocol ReadyReceiver: Sendable {
    /// Sends replies and records, in the order of the calls.
    ///
    /// - Parameters:
    ///   - ready: All that the engine released.
    ///   - commit: The commit, if it was one.
    func receive(_ ready: Ready, of commit: CommitStats?)

    /// Calls `told` when everything received before has been carried out.
    func receive(_ told: @escaping @Sendable () -> Void)

    /// The answer to ``EngineLoop/answer(withNumbers:)``.
    func receive(_ pulse: EnginePulse)
}

/// The cost of one commit.
struct CommitStats: Sendable {
    /// The time from its begin until it was durable and its answers were released.
    let microseconds: Int64
    /// The number of requests that it answers.
    let requests: Int
}

/// A sign of life of the engine's queue.
struct EnginePulse: Sendable {
    /// Whether the last commit failed for lack of room, and there is none yet.
    let isDiskFull: Bool
    /// For whom no code of a machine is to run.
    let trapped: [HoldSubject]
    /// How many of them are set aside now.
    let setAside: Int
    /// Counters and gauges of engine and store, if they were asked for.
    let numbers: [(name: String, value: Int64)]
}

/// Engine and store on their queue: the right side of architecture.md, "The way of one event".
///
/// Group commit without a timer: the first burst after a commit posts a flush behind everything
/// that waits on the queue by then, so whatever came in during the last commit is committed
/// together with it.
actor EngineLoop: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.engine")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Engine and store; never leaves the queue.
    final class Core {
        var engine: Engine
        let store: any Store

        init(engine: consuming Engine, store: any Store) {
            self.engine = engine
            self.store = store
        }
    }

    private let source: StoreSource
    /// What the store is, for the log.
    nonisolated var sourceName: String { source.name }
    var log: Logger
    /// When the log tells of the disk.
    var diskNotice = ConditionNotice()
    /// Lines about what is stored and can't be read.
    var unreadableLines = LogThrottle()
    /// Where it is noted for whom code of a machine runs.
    private var crashFile: CrashFile?
    /// What the commit of the opening asks for, until there is somebody to do it.
    var opening: Ready?
    /// The engine's count of holds, as the io side was told of last.
    private var holdChanges = 0
    private let fatal: @Sendable (StoreError) -> Void
    private var receiver: (any ReadyReceiver)?
    private var effects: EffectRunner?
    var core: Core?
    private var timer: (any DispatchSourceTimer)?
    /// Requests that wait for their turn.
    var intake = Intake(windowBytes: EngineOptions().connectionWindow)
    /// Bytes of large replies since the io side was last waited for.
    var undelivered = 0
    /// Whether the io side has so much to write that no requests are taken.
    var isReceiverBehind = false
    /// Connections that have ended, and whose last requests are in the batch.
    private var ended: [ConnectionID] = []
    /// How long the last commit took; 0 where there was nothing to commit.
    private var commitMicroseconds: Int64 = 0
    private var isFlushPosted = false
    private var isWorkPosted = false
    /// Whether what the last turn of work tells, or the last answers to those that waited, are
    /// still on their way to the connections. The next ones wait for that, so that answers to
    /// others don't stand behind those of many turns.
    private var isTelling = false
    /// Whether something is due since the alarm rang.
    private var isRinging = false
    /// Whether the alarm rang while the turn before was told.
    private var isRingPutOff = false
    /// Whether a turn of work came while requests were taken and not flushed.
    private var wasTurnedAway = false
    /// Whether a turn of a backup is to come.
    var isBackupPosted = false
    private var housekeeping: Housekeeping
    private var isHousekeepingPosted = false
    /// How many effects that are due are looked for at once: as many as get done in their time.
    private var dueLimit = Limits.effectsPerBatchMax
    /// Whether requests or reports came since the last turn of housekeeping.
    private var isBusy = false
    /// Fires when the next effect is due.
    private var alarm: (any DispatchSourceTimer)?
    /// When it fires; `nil` while it doesn't.
    private var alarmDue: Timestamp?

    /// A loop without a store yet.
    ///
    /// - Parameters:
    ///   - source: Where the store comes from.
    ///   - retention: What to forget by itself.
    ///   - log: Where to say what went wrong.
    ///   - fatal: Called once on this queue when the store can't be trusted any more; no answer
    ///     leaves the engine after that. It is to end the process (reliability.md, P8).
    init(
        source: StoreSource, retention: RetentionOptions, log: Logger,
        fatal: @escaping @Sendable (StoreError) -> Void
    ) {
        self.source = source
        housekeeping = Housekeeping(retention, log: log)
        self.log = log
        self.fatal = fatal
    }

    // MARK: Control

    /// Opens the store.
    func open(
        catalogue: Catalogue, options: EngineOptions
    ) throws(StoreOpenError) -> LogID {
        let store = try source.open()
        tell(ofCopy: store)
        crashFile = Self.crashFile(at: source.crashPath(store), log: log)
        var options = options
        options.witness = crashFile?.engine
        intake.setWindow(options.connectionWindow)
        core = Core(
            engine: Engine(catalogue: catalogue, store: store, options: options), store: store)
        do throws(StoreError) {
            try containCrashes(crashFile, catalogue)
        } catch {
            throw .inputOutput("\(error)")
        }
        return store.logID
    }

    /// What the queue that reads requests has to know of machines that trap.
    var containment: Containment {
        Containment(
            witness: crashFile?.decoder, trapped: core?.engine.trapped ?? [],
            setAside: core?.engine.setAside.count ?? 0)
    }

    /// Says that the data is a copy's, which is another log now: subscribers begin anew.
    private func tell(ofCopy store: any Store) {
        guard let store = store as? SQLiteStore, let former = store.formerLogID else { return }
        log.notice(
            "the data file is a copy, opened for the first time: it has got another log id",
            metadata: ["copied": "\(former.digits)", "log": "\(store.logID.digits)"])
    }

    /// Begins to work; ready go to `receiver`, effects to a runner of these handlers.
    func start(_ receiver: any ReadyReceiver, handlers: EffectHandlers) {
        self.receiver = receiver
        effects = EffectRunner(handlers: handlers) { [weak self] reports in
            self?.post { $0.take(reports) }
        }
        let alarm = DispatchSource.makeTimerSource(queue: executor.queue)
        alarm.setEventHandler { [weak self] in self?.assumeIsolated { $0.ring() } }
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
        keepHouse()
        // What was due while nothing ran, and what handlers were at.
        postFlush()
    }

    /// Has every handler stop that is at work, and waits for them, at most so long.
    func stopEffects(grace: Duration) async {
        alarm?.cancel()
        alarm = nil
        guard let effects else { return }
        self.effects = nil
        await effects.shutdown(grace: grace)
    }

    /// Takes bounds that may change while it runs, a new handler `http` for tries to come, and
    /// another level for the log.
    func reconfigure(
        _ options: EngineOptions, retention: RetentionOptions, http: EffectHandler?,
        logLevel: Logger.Level
    ) {
        log.logLevel = logLevel
        housekeeping.change(retention, logLevel: logLevel)
        core?.engine.reconfigure(options)
        if let http { effects?.replace(http) }
    }

    /// Commits what was taken, and tells every subscription its cursor for the last time.
    ///
    /// - Parameter milliseconds: For how long pages are read on that were asked for.
    func finish(milliseconds: Int64) {
        repeat {
            isReceiverBehind = false
            takeIn()
            flush()
        } while core != nil && !intake.isEmpty
        let deadline = Clock.uptime() + milliseconds
        while core?.engine.hasPages == true, Clock.uptime() < deadline {
            // Nobody else is to be answered any more.
            isTelling = false
            isReceiverBehind = false
            turnOfWork()
        }
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

    /// Takes the requests of one readiness event, in turns with those of other connections.
    func submit(_ burst: [Request]) {
        isBusy = true
        intake.add(burst)
        postFlush()
    }

    /// For how long requests are taken for one commit, in microseconds, at least and at most: as
    /// long as the commit before took, so that the cost of a commit is shared by many where it is
    /// high. Who comes then waits for one commit, and for the next with its own request.
    static let intakeMicroseconds: ClosedRange<Int64> = 4_000...10_000

    /// Bytes after which a commit takes no more requests: a state of a megabyte that compresses
    /// badly takes some thirty milliseconds, in journal and snapshot.
    static let intakeBytesMax = 512 << 10

    /// How long a commit takes, in microseconds, before those who have asked for little get one
    /// without the others.
    static let longCommitMicroseconds: Int64 = 10_000

    /// Takes what waits into the batch, for so long, or until the batch is full.
    private func takeIn() {
        guard !intake.isEmpty, !isReceiverBehind else { return }
        let now = Clock.time()
        let range = Self.intakeMicroseconds
        let end =
            Clock.microseconds()
            + min(range.upperBound, max(range.lowerBound, 2 * commitMicroseconds))
        let isLong = commitMicroseconds > Self.longCommitMicroseconds
        var isBegun = false
        if isLong { intake.wasFirst = false }
        while let turn = intake.next(onlyFirst: isLong && isBegun) {
            isBegun = intake.wasFirst
            guard let core, let connection = turn.first?.connection else { return }
            var place = 0
            let hasRoom: Bool
            // The pages of one that is gone are given up, and not read.
            let isOpen = !intake.isEnding(connection)
            do {
                hasRoom = try core.engine.take(
                    turn, from: &place, at: now, store: core.store, boundsPages: isOpen,
                    while: { $0 < Self.intakeBytesMax })
            } catch {
                fail(error)
                return
            }
            if place < turn.count {
                intake.putBack(Array(turn[place...]), waitsForPage: hasRoom)
            } else if intake.hasEnded(connection) {
                ended.append(connection)
            }
            guard hasRoom, Clock.microseconds() < end else { return }
        }
    }

    /// Forgets a connection and its subscriptions, behind its last request.
    func connectionClosed(_ connection: ConnectionID) {
        if !intake.end(connection) { forget(connection) }
    }

    private func forget(_ connection: ConnectionID) {
        intake.forget(connection)
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
            $0.takeAndFlush()
        }
    }

    /// Commits what was taken, and more of what waits where a commit ended early, for so long as
    /// requests are taken for one; the rest comes behind all that waits on the queue by now.
    private func takeAndFlush() {
        let end = Clock.microseconds() + Self.intakeMicroseconds.lowerBound
        repeat {
            takeIn()
            flush()
            for connection in ended { forget(connection) }
            ended.removeAll(keepingCapacity: true)
        } while core != nil && !intake.isEmpty && !isReceiverBehind
            && Clock.microseconds() < end
        if !intake.isEmpty, !isReceiverBehind { postFlush() }
    }

    private func flush() {
        guard let core else { return }
        let begin = Clock.microseconds()
        let before = core.engine.commits
        do {
            let now = Clock.time()
            settle(core, at: now)
            let ready = try core.engine.flush(to: core.store, at: now, settling: 0)
            let isCommit = core.engine.commits > before
            commitMicroseconds = isCommit ? Clock.microseconds() - begin : 0
            // First, so that who was let go is heard when the answer says so.
            if core.engine.holdChanges != holdChanges {
                holdChanges = core.engine.holdChanges
                answer(withNumbers: false)
            }
            dispatch(
                ready,
                of: isCommit
                    ? CommitStats(
                        microseconds: Clock.microseconds() - begin,
                        requests: ready.replies.count) : nil)
            if isRinging, !isTelling { waitUntilTold() }
            isRinging = false
            // Behind the answers: whoever waits for one of this commit doesn't wait for that.
            try core.store.checkpoint()
        } catch {
            fail(error)
            return
        }
        // Under load there is always somebody's request before a turn of work that was posted.
        if wasTurnedAway { turnOfWork() } else { postWork() }
    }

    /// For how long one commit settles effects, in microseconds. What each of them costs differs by
    /// a factor of hundred, and whoever sends an event waits for up to two such commits.
    static let settlingMicroseconds: Int64 = 3_000

    /// Does what is due, for so long.
    private func settle(_ core: Core, at now: Timestamp) {
        let end = Clock.microseconds() + Self.settlingMicroseconds
        var turn = core.engine.settle(upTo: 1, at: now, store: core.store)
        while turn.hasMore, Clock.microseconds() < end {
            turn = core.engine.settle(upTo: turn.done + 4, at: now, store: core.store)
        }
        dueLimit =
            turn.hasMore ? max(8, turn.done) : min(Limits.effectsPerBatchMax, 2 * dueLimit)
    }

    /// Answers behind everything that waits on the queue: when that takes long, so does all else.
    func answer(withNumbers: Bool) {
        guard let core else { return }
        receiver?.receive(
            EnginePulse(
                isDiskFull: core.engine.isDiskFull, trapped: core.engine.trapped,
                setAside: core.engine.setAside.count,
                numbers: withNumbers ? core.engine.numbers(store: core.store) : []))
    }

    func postWork() {
        // A flush under way comes first and posts this again.
        guard !isWorkPosted, !isFlushPosted, !isTelling, !isReceiverBehind, let core,
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
        if core.engine.hasOpenBatch { wasTurnedAway = true } else { turnOfWork() }
    }

    private func turnOfWork() {
        wasTurnedAway = false
        guard !isTelling, !isReceiverBehind, let core else { return }
        let ready: Ready
        do {
            ready = try core.engine.work(at: Clock.time(), store: core.store)
        } catch {
            fail(error)
            return
        }
        dispatch(ready)
        if !ready.publications.isEmpty { waitUntilTold() }
        // A page that shows uncommitted state waits for the commit.
        if core.engine.hasOpenBatch { postFlush() }
        postWork()
    }

    private func waitUntilTold() {
        guard receiver != nil else { return }
        isTelling = true
        afterReceiver { $0.goOn() }
    }

    /// Does `work` when the io side has carried out all that it was given.
    func afterReceiver(_ work: @escaping @Sendable (isolated EngineLoop) -> Void) {
        receiver?.receive { [weak self] in self?.post(work) }
    }

    private func goOn() {
        isTelling = false
        if isRingPutOff { ring() }
        postWork()
    }

    // MARK: Housekeeping

    /// Looks after everything that may have something to clear away.
    private func keepHouse() {
        housekeeping.wake(at: Clock.time())
        postHousekeeping(pause: 0)
    }

    /// Posts the next turn behind everything that waits by then, after a pause in nanoseconds.
    private func postHousekeeping(pause: UInt64) {
        guard !isHousekeepingPosted else { return }
        isHousekeepingPosted = true
        guard pause > 0 else { return post { $0.takeTurn() } }
        executor.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
            self.assumeIsolated { $0.takeTurn() }
        }
    }

    private func takeTurn() {
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
        // Under load a tenth of the time, so that there is always a commit that didn't wait.
        let took = DispatchTime.now().uptimeNanoseconds - begin
        postHousekeeping(pause: isBusy ? 9 * min(took, 100_000_000) : 0)
        isBusy = false
    }

    // MARK: Effects

    /// Takes what handlers report.
    private func take(_ reports: [EffectReport]) {
        isBusy = true
        guard let core else { return }
        do {
            try core.engine.take(reports, at: Clock.time(), store: core.store)
        } catch {
            fail(error)
            return
        }
        postFlush()
    }

    /// Something is due: a bounded part of it is done with the next commit, so that requests get
    /// their turn in between.
    private func ring() {
        isRingPutOff = isTelling
        // The alarm stays as it is: it has rung.
        guard !isTelling else { return }
        alarmDue = nil
        isRinging = true
        guard alarm != nil, let core else { return }
        do {
            try core.engine.takeDue(at: Clock.time(), limit: dueLimit, store: core.store)
        } catch {
            fail(error)
            return
        }
        postFlush()
    }

    private func setAlarm() {
        guard let alarm, let core else { return }
        guard let due = core.engine.nextDue else {
            if alarmDue != nil { alarm.schedule(deadline: .distantFuture) }
            alarmDue = nil
            return
        }
        guard due != alarmDue else { return }
        alarmDue = due
        // A wait of more than an hour is looked at again: the clock of the queue may sleep while
        // the machine does.
        let wait = min(max(0, due.milliseconds - Clock.time().milliseconds), 3_600_000)
        alarm.schedule(
            deadline: .now() + .milliseconds(Int(wait)), leeway: .milliseconds(1))
    }

    private func tick() {
        // The queue's clock stands still while the machine is suspended.
        if let alarmDue, alarmDue <= Clock.time() { ring() }
        lookForRoom()
        tellDisk()
        tellUnreadableLeftOut()
        keepHouse()
        core?.engine.backup.expire(at: Clock.time())
        guard let core, core.engine.hasSubscriptions, !isWorkPosted else { return }
        isWorkPosted = true
        post { $0.work() }
    }

    /// After a full disk, once a second: health is to tell that there is room again, also when
    /// nobody sends because it told that there was none.
    private func lookForRoom() {
        guard let core else { return }
        do {
            try core.engine.probeDiskSpace(store: core.store)
        } catch {
            fail(error)
        }
    }

    private func dispatch(_ ready: Ready, of commit: CommitStats? = nil) {
        setAlarm()
        guard !ready.isEmpty || commit != nil else { return }
        effects?.run(ready.issues)
        effects?.cancel(ready.cancellations)
        for (answer, wasApplied) in ready.answers { answer(wasApplied) }
        tellDisk()
        tellUnreadable(ready.replies)
        receiver?.receive(ready, of: commit)
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
