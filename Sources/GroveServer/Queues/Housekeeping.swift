import GroveEngine
import Logging

/// The work of the engine queue besides requests: purging deleted data, truncating the journal, in
/// total and per machine, and the audit, deleting instances that have been done for long, and
/// reading the stored states once. It runs in turns of about a millisecond, so that a commit never
/// waits for more than one.
struct Housekeeping {
    /// The kinds of turns.
    enum Job: CaseIterable {
        case purge, truncate, truncateMachines, truncateAudit, expire, inspect
    }

    /// The work that a turn leaves.
    struct Outcome: Equatable {
        /// Whether another turn has something to do at once.
        var hasMore = false
        /// Whether a change waits to be committed.
        var needsFlush = false
    }

    private var retention: RetentionOptions
    private(set) var log: Logger
    /// The jobs that may have something to do, the next one first.
    private var waiting: [Job] = []
    /// The jobs that found damaged data: they aren't repeated before the next start.
    private var broken: Set<Job> = []
    /// The unreadable instances that the log has named.
    private var reported: Set<String> = []
    /// The position of the search for done instances; `nil` between two searches.
    private var position: InstanceNumber?
    /// The inspection of the states that were stored at the start.
    private var inspection: StateInspection?
    private var nextSearch = Timestamp(milliseconds: .min)
    /// When the audit is truncated next.
    private var nextAudit = Timestamp(milliseconds: .min)

    init(_ retention: RetentionOptions, log: Logger) {
        self.retention = retention
        self.log = log
    }

    /// Changes the bounds, from the next turn on, and the level of the log.
    mutating func change(_ retention: RetentionOptions, logLevel: Logger.Level) {
        log.logLevel = logLevel
        guard retention != self.retention else { return }
        self.retention = retention
        nextSearch = Timestamp(milliseconds: .min)
    }

    /// Schedules an inspection of the stored states, with a warning for each machine that can't
    /// read them.
    ///
    /// It reads many instances. So it waits for the rows that opening the file has left, which
    /// turns of the purge make, step by step.
    mutating func inspect(_ inspection: StateInspection) {
        self.inspection = inspection
        for job in [Job.purge, .inspect] where !waiting.contains(job) { waiting.append(job) }
    }

    /// Schedules every job that may be due. Called once per second.
    mutating func wake(at now: Timestamp) {
        if position == nil, nextSearch <= now { position = InstanceNumber(0) }
        for job in Job.allCases where isWanted(job, at: now) && !waiting.contains(job) {
            waiting.append(job)
        }
    }

    private func isWanted(_ job: Job, at now: Timestamp) -> Bool {
        if broken.contains(job) { return false }
        switch job {
        // Without bounds as well: earlier ones may have left rows to remove.
        case .purge, .truncateMachines: return true
        case .truncate: return !retention.journal.isEmpty
        case .truncateAudit: return nextAudit <= now
        case .expire: return retention.doneMillisecondsMax != nil && position != nil
        case .inspect: return inspection != nil
        }
    }

    /// Runs one turn of one job.
    ///
    /// - Throws: `.inputOutput`, after which the process must end.
    mutating func turn(
        _ engine: inout Engine, _ store: any Store, at now: Timestamp
    ) throws(StoreError) -> Outcome {
        guard let job = takeNext() else { return Outcome() }
        var outcome = Outcome()
        do throws(StoreError) {
            if try perform(job, &engine, store, now, &outcome) { waiting.append(job) }
        } catch .full {
            // The next second tries again.
        } catch .corrupt(let place) {
            // The data stays as it is; all other jobs continue.
            broken.insert(job)
            log.error("\(job) stopped", metadata: ["corrupt": "\(place)"])
        } catch { throw error }
        outcome.hasMore = !waiting.isEmpty
        return outcome
    }

    /// Takes the next job out of the waiting ones.
    private mutating func takeNext() -> Job? {
        let next = waiting.firstIndex { $0 != .inspect || !waiting.contains(.purge) }
        return next.map { waiting.remove(at: $0) }
    }

    /// Logs instances that can't be read, each once.
    private mutating func report(_ damaged: [String]) {
        for place in damaged
        where reported.count < Self.reportedMax && reported.insert(place).inserted {
            log.error("expire passes an instance over", metadata: ["corrupt": "\(place)"])
        }
    }

    /// Runs a job's turn; returns whether it needs another one.
    private mutating func perform(
        _ job: Job, _ engine: inout Engine, _ store: any Store, _ now: Timestamp,
        _ outcome: inout Outcome
    ) throws(StoreError) -> Bool {
        switch job {
        case .purge: return try engine.purge(store: store)
        case .truncate: return try engine.truncate(to: retention.journal, at: now, store: store)
        case .truncateMachines:
            return try engine.truncateMachines(to: retention.machines, at: now, store: store)
        case .truncateAudit:
            let oldest = Timestamp(milliseconds: now.milliseconds - Self.auditAgeMax)
            if try store.truncateAudit(before: oldest, at: now) { return true }
            nextAudit = Timestamp(milliseconds: now.milliseconds + Self.auditPeriod)
            return false
        case .expire:
            guard let age = retention.doneMillisecondsMax, let begin = position else {
                return false
            }
            let time = Timestamp(milliseconds: now.milliseconds - age)
            let turn = try engine.expire(doneBefore: time, after: begin, at: now, store: store)
            outcome.needsFlush = turn.count > 0 || engine.hasOpenBatch
            position = turn.next
            report(turn.damaged)
            // A search reads every instance, so it runs only as often as useful.
            nextSearch = Timestamp(
                milliseconds: now.milliseconds + min(max(1_000, age / 10), 3_600_000))
            return turn.next != nil
        case .inspect: return try inspect(store)
        }
    }

    private mutating func inspect(_ store: any Store) throws(StoreError) -> Bool {
        guard var inspection else { return false }
        let turn = try inspection.turn(store: store)
        self.inspection = turn.hasMore ? inspection : nil
        guard let finding = turn.finding else { return turn.hasMore }
        log.warning(
            "states are stored that this program can't read",
            metadata: [
                "machine": "\(finding.machine)", "looked_at": "\(finding.looked)",
                "unreadable": "\(finding.unreadable)", "instance": "\(finding.instance)",
                "stored_by": "\(finding.version)", "reason": "\(finding.reason)",
            ])
        return turn.hasMore
    }
}
