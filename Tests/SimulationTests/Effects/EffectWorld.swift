import GroveEngine
import GroveTestSupport
import OrderedJSON
import Synchronization
import Transducers

/// An engine with robots, clients that send them events, handlers and faults, all drawn from one
/// seed. Time is simulated: it stops, jumps to the next due time, or skips years.
final class EffectWorld {
    /// The options of one world. In most worlds most faults are off, and in some one is very
    /// frequent.
    struct Plan {
        var robots: Int
        var steps: Int
        var faults = StoreFaults()
        var crashes: Int
        var jumps: Int
        /// The number of starts per thousand that lack a handler or the machine.
        var downgrades: Int
        /// The probability, in thousandths, that a request is committed at once.
        var flushes: Int
        var hasBrood: Bool
        var options = EngineOptions()

        init(_ random: inout SeededRandom) {
            robots = 1 + random.below(8)
            steps = 300 + random.below(700)
            faults.full = random.pick([0, 0, 20, 200])
            faults.unknown = random.pick([0, 0, 10, 40])
            crashes = random.pick([0, 2, 10, 40])
            jumps = random.pick([0, 0, 10])
            downgrades = random.pick([0, 0, 300])
            flushes = random.pick([1_000, 500, 100])
            hasBrood = random.chance(200)
            options.residentInstancesMax = random.pick([1, 4, 65_536])
            options.handlers = SimulatedHandlers.traits
        }
    }

    private(set) var plan: Plan
    var random: SeededRandom
    var maker: PlanMaker
    private(set) var log = EffectLog()
    private(set) var handlers = SimulatedHandlers()
    let store: SimulatedStore
    private(set) var now = Timestamp(milliseconds: 1_763_692_800_000)
    private(set) var crashes = 0
    private var engine: Engine
    /// Whether this process lacks a handler or the machine.
    private var isDowngraded = false
    private var token: UInt32 = 0
    /// Whether the engine has received requests or reports that aren't committed.
    private(set) var isPending = false
    private let verdicts = Verdicts()
    /// Everything that left the engine, in order; `nil` if it isn't recorded.
    private(set) var trace: [String]?

    static let definition = Definition(
        Robot.self, named: "robot", version: "1", handlers: ["work", "scarce", "undo"])

    init(
        seed: UInt64, store kind: SimulatedStore.Type = SimulatedStore.self,
        isConfused: Bool = false, isTraced: Bool = false
    ) throws {
        random = SeededRandom(seed: seed)
        plan = Plan(&random)
        maker = PlanMaker(robots: (0..<plan.robots).map { "robot/r\($0)" })
        store = try kind.make(seed: random.next())
        store.faults = plan.faults
        handlers.isConfused = isConfused
        if isTraced { trace = [] }
        let catalogue = try Catalogue([Self.definition])
        engine = Engine(catalogue: catalogue, store: store, options: plan.options)
        try flush()
    }

    // MARK: Requests

    func ask(_ operation: Operation, _ question: EffectLog.Question = .other) throws {
        token += 1
        log.note(question, token: token)
        isPending = true
        try engine.receive(
            Request(connection: ConnectionID(1), token: token, operation: operation), at: now,
            store: store)
        if random.chance(plan.flushes) { try flush() }
    }

    /// Sends an event to a robot.
    func send(
        _ event: Robot.Event, to name: InstanceName, serial: Int, dedup: String? = nil,
        settle: Send.Settle = .none, timeout: Int64 = 60_000
    ) throws {
        var writer = JSONWriter()
        try JSONCoding.encode(event, into: &writer)
        let document = try JSONDocument(parsing: writer.bytes)
        let decoded = try Self.definition.machine.decodeEvent(document, at: document.root)
        let send = Send(
            to: name, event: .decoded(decoded), eventText: writer.bytes,
            dedup: dedup.map { Array($0.utf8) }, settle: settle, timeout: timeout)
        try ask(.send(send), .send(serial: serial))
    }

    func cancel(_ name: InstanceName, _ choice: Operation.CancelChoice) throws {
        log.noteCancel(name, choice)
        try ask(.cancel(name, choice), .cancel)
    }

    func retry(_ row: StoredEffect, of name: InstanceName) throws {
        log.noteRetry(row.ref)
        try ask(.retry(name, effect: row.ref.number))
    }

    // MARK: Time and handlers

    func pass(_ milliseconds: Int64) { now.milliseconds += milliseconds }

    /// The time at which the engine must be woken next.
    var nextDue: Timestamp? { engine.nextDue }

    /// Wakes the engine, if an effect is due.
    func wake() throws {
        guard let due = engine.nextDue, due <= now else { return }
        isPending = true
        try engine.enqueueDue(at: now, store: store)
        if random.chance(plan.flushes) { try flush() }
    }

    /// Passes the next reports of a handler to the engine.
    func handlersAct(isCalm: Bool = false) throws {
        let told = handlers.act(&random, isCalm: isCalm)
        guard !told.isEmpty else { return }
        isPending = true
        let reports = told.map { told in
            var report = told.report
            report.answer = { [verdicts] in verdicts.add((told, $0)) }
            return report
        }
        try engine.receive(reports, at: now, store: store)
        if random.chance(plan.flushes) { try flush() }
    }

    // MARK: Commits and crashes

    /// Commits the received requests and reports. If the outcome of the commit is unknown, the
    /// process ends.
    func flush() throws {
        let actions: Ready
        do throws(StoreError) {
            actions = try engine.flush(to: store, at: now)
        } catch {
            // After such an error the engine must throw again.
            if (try? engine.flush(to: store, at: now)) != nil {
                throw Complaint("E3", "the engine goes on after \(error)")
            }
            return try crash()
        }
        isPending = false
        note(actions)
        for issue in actions.dispatches { try handlers.take(issue) }
        for ref in actions.cancellations { handlers.cancel(ref) }
        for (answer, wasApplied) in actions.answers { answer(wasApplied) }
        for (told, wasApplied) in verdicts.takeAll() {
            handlers.answered(told, wasApplied: wasApplied)
            if wasApplied { log.noteApplied(told) }
        }
        for reply in actions.replies { try log.answer(reply.token, reply.reply) }
    }

    private func note(_ actions: Ready) {
        guard trace != nil else { return }
        for issue in actions.dispatches {
            trace?.append(
                "\(now.milliseconds) issue \(issue.key) \(issue.attempt) \(issue.argument)")
        }
        for ref in actions.cancellations { trace?.append("cancel \(ref)") }
        for reply in actions.replies { trace?.append("reply \(reply)") }
    }

    /// Ends the process between any two of its actions. Another process starts with the committed
    /// data.
    func crash() throws {
        crashes += 1
        trace?.append("crash")
        handlers.crash()
        log.crash()
        _ = verdicts.takeAll()
        isPending = false
        var options = plan.options
        var definitions = [Self.definition]
        options.random = SeededGenerator(seed: random.next())
        isDowngraded = random.chance(plan.downgrades)
        if isDowngraded {
            log.wasDowngraded = true
            if random.chance(300) { definitions = [] }
            options.handlers[random.pick(["work", "scarce", "undo"])] = nil
        }
        let catalogue = try Catalogue(definitions)
        engine = Engine(catalogue: catalogue, store: store, options: options)
        try flush()
    }

    /// Ends all faults.
    func calmDown() throws {
        try flush()
        store.faults = .none
        plan.downgrades = 0
        if isDowngraded { try crash() }
        // Effects that a full disk held up start within a second.
        log.calm = (Timestamp(milliseconds: now.milliseconds + 1_000), store.head)
    }
}

/// The engine's verdicts on reports, in order.
private final class Verdicts: Sendable {
    typealias Verdict = (told: SimulatedHandlers.Told, wasApplied: Bool)

    private let list = Mutex<[Verdict]>([])

    func add(_ verdict: Verdict) { list.withLock { $0.append(verdict) } }

    func takeAll() -> [Verdict] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
