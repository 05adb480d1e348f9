import GroveEngine
import Logging

/// What the engine queue does besides requests: clearing away what was deleted, removing old
/// steps from the journal, of all machines and of single ones, deleting what has been done for
/// long, and once reading what is stored. In turns of about a millisecond, so that a commit never
/// waits for more than one.
struct Housekeeping {
    /// The kinds of turns.
    enum Job: CaseIterable { case purge, truncate, truncateMachines, retire, inspect }

    /// What a turn leaves to do.
    struct Outcome: Equatable {
        /// Whether another turn has something to do at once.
        var hasMore = false
        /// Whether something waits to be committed.
        var needsFlush = false
    }

    private var retention: RetentionOptions
    private(set) var log: Logger
    /// The jobs that may have something to do, the next one first.
    private var waiting: [Job] = []
    /// The jobs that found something damaged: they are not tried again before the next start.
    private var broken: Set<Job> = []
    /// What was told of instances that can't be read; so many and no more.
    private var told: Set<String> = []
    private static let toldMax = 100
    /// How far the search for done instances has come; `nil` between two.
    private var position: InstanceNumber?
    /// What is left to be read of what was there at the start.
    private var inspection: StateInspection?
    /// When the next search begins.
    private var nextSearch = Timestamp(milliseconds: .min)

    init(_ retention: RetentionOptions, log: Logger) {
        self.retention = retention
        self.log = log
    }

    /// Takes other bounds, which hold from the next turn on, and another level for the log.
    mutating func change(_ retention: RetentionOptions, logLevel: Logger.Level) {
        log.logLevel = logLevel
        guard retention != self.retention else { return }
        self.retention = retention
        nextSearch = Timestamp(milliseconds: .min)
    }

    /// Has what is stored be read, once, and a warning written for each machine that can't.
    mutating func inspect(_ inspection: StateInspection) {
        self.inspection = inspection
        if !waiting.contains(.inspect) { waiting.append(.inspect) }
    }

    /// Once a second: every job is to be looked at.
    mutating func wake(at now: Timestamp) {
        if position == nil, nextSearch <= now { position = InstanceNumber(0) }
        for job in Job.allCases where isWanted(job) && !waiting.contains(job) {
            waiting.append(job)
        }
    }

    private func isWanted(_ job: Job) -> Bool {
        if broken.contains(job) { return false }
        switch job {
        // With no bounds as well: what earlier ones have left may go.
        case .purge, .truncateMachines: return true
        case .truncate: return !retention.journal.isEmpty
        case .retire: return retention.doneMillisecondsMax != nil && position != nil
        case .inspect: return inspection != nil
        }
    }

    /// One turn of one job.
    ///
    /// - Throws: `.inputOutput`, after which the process must end.
    mutating func turn(
        _ engine: inout Engine, _ store: any Store, at now: Timestamp
    ) throws(StoreError) -> Outcome {
        guard !waiting.isEmpty else { return Outcome() }
        let job = waiting.removeFirst()
        var outcome = Outcome()
        do throws(StoreError) {
            if try perform(job, &engine, store, now, &outcome) { waiting.append(job) }
        } catch .full {
            // There is room again by the next second, or not.
        } catch .corrupt(let place) {
            // What is there stays where it is; everything else goes on.
            broken.insert(job)
            log.error("\(job) stopped", metadata: ["corrupt": "\(place)"])
        } catch { throw error }
        outcome.hasMore = !waiting.isEmpty
        return outcome
    }

    /// Tells of instances that can't be read, of each once.
    private mutating func tell(_ damaged: [String]) {
        for place in damaged where told.count < Self.toldMax && told.insert(place).inserted {
            log.error("retire passes an instance over", metadata: ["corrupt": "\(place)"])
        }
    }

    /// Does some work; whether more is left.
    private mutating func perform(
        _ job: Job, _ engine: inout Engine, _ store: any Store, _ now: Timestamp,
        _ outcome: inout Outcome
    ) throws(StoreError) -> Bool {
        switch job {
        case .purge: return try engine.purge(store: store)
        case .truncate: return try engine.truncate(to: retention.journal, at: now, store: store)
        case .truncateMachines:
            return try engine.truncateMachines(to: retention.machines, at: now, store: store)
        case .retire:
            guard let age = retention.doneMillisecondsMax, let begin = position else {
                return false
            }
            let time = Timestamp(milliseconds: now.milliseconds - age)
            let turn = try engine.retire(
                doneBefore: time, after: begin, at: now, store: store)
            outcome.needsFlush = turn.count > 0 || engine.hasOpenBatch
            position = turn.next
            tell(turn.damaged)
            // A search costs a look at every instance: not more often than is of use.
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
