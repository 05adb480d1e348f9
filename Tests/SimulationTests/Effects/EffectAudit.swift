import GroveEngine
import GroveTestSupport
import OrderedJSON

/// Reads the journal from its start, works out the correct outcome of every effect, and reports
/// each difference:
///
/// | promise | meaning |
/// |---|---|
/// | E1 | an effect is dispatched at least once, under one key |
/// | E2 | requests are answered once, and acknowledged events are in the journal |
/// | E3 | each result is applied once, to the right instance |
/// | E4 | nothing happens early, and due effects happen |
/// | E5 | sends arrive once |
/// | E6 | tokens can be used once |
/// | E7 | children don't outlive their parents |
/// | E8 | only the requested effects are canceled, and all of them |
/// | E9 | queues and sequences keep their order |
/// | E10 | no row outlives its instance |
struct EffectAudit {
    let store: SimulatedStore
    let log: EffectLog
    let handlers: SimulatedHandlers
    var instances: [InstanceNumber: AuditedInstance] = [:]
    private var live: [InstanceName: AuditedInstance] = [:]
    private(set) var wishes: [String: Wish] = [:]
    private(set) var applied: Set<Int> = []
    /// The number of the commit that wrote each journal step.
    private var commits: [Int] = [0]

    /// The number of requested effects.
    var count: Int { wishes.count }

    init(_ store: SimulatedStore, _ log: EffectLog, _ handlers: SimulatedHandlers) throws {
        self.store = store
        self.log = log
        self.handlers = handlers
        for (number, writes) in store.committed.enumerated() {
            commits += Array(repeating: number, count: writes.journalEnds.count)
        }
        guard store.head > 0 else { return }
        for sequence in 1...store.head {
            guard let record = try store.record(at: sequence) else {
                throw Complaint("E3", "journal step \(sequence) is missing")
            }
            try take(record)
        }
    }

    func instance(named name: InstanceName) -> AuditedInstance? { live[name] }

    func isSameCommit(_ one: JournalPosition, _ other: JournalPosition) -> Bool {
        commits[Int(one)] == commits[Int(other)]
    }

    // MARK: Records

    private mutating func take(_ record: JournalRecord) throws {
        guard let name = record.name else { throw Complaint("E3", "a step of nobody") }
        switch record.kind {
        case .created:
            guard live[name] == nil else { throw Complaint("E3", "\(name) was created twice") }
            let made = AuditedInstance(number: record.number, name: name)
            live[name] = made
            instances[record.number] = made
        case .deleted:
            guard let gone = live.removeValue(forKey: name) else {
                throw Complaint("E3", "\(name) was deleted and not there")
            }
            gone.isGone = true
            gone.end()
            for wish in gone.wishes where wish.state.isOpen { wish.state = .gone }
        case .step, .stopped, .effect:
            guard let owner = live[name], owner.number == record.number else {
                throw Complaint("E10", "a step of \(name), which isn't there")
            }
            guard !owner.isDone || record.kind == .effect else {
                throw Complaint("E3", "\(name) takes a step after its end")
            }
            var turn = Turn(record: record, owner: owner)
            if record.kind == .step { try begin(&turn) }
            for note in record.effects { try take(Note(note), &turn) }
            try end(turn)
        case .erased: throw Complaint("E3", "a step was erased")
        case .suspended, .resumed, .setAside:
            throw Complaint("E3", "\(name) was held or let go, and nobody asked for it")
        }
    }

    /// The state of the check of one record.
    struct Turn {
        let record: JournalRecord
        let owner: AuditedInstance
        var event: Robot.Event?
        /// The effects that the event requests.
        var order: Robot.Order?
        var asked: [Wish] = []
        /// The effect whose result or failure the event is.
        var cause: Wish?
        var note: Note?
    }

    private mutating func begin(_ turn: inout Turn) throws {
        let document = try JSONDocument(parsing: turn.record.event ?? [])
        let event = try JSONCoding.decode(Robot.Event.self, from: document, at: document.root)
        turn.event = event
        switch event {
        case .plan(let order): turn.order = order
        case .close(let order, _): turn.order = order
        case .came(let came): turn.owner.log.append(came.text)
        case .failed(let id, _): turn.owner.log.append("!\(id)")
        case .finish: break
        }
        guard let order = turn.order else { return }
        guard applied.insert(order.serial).inserted else {
            throw Complaint("E2", "event \(order.serial) was applied twice")
        }
        for plan in order.plans { turn.asked += register(plan, after: [], turn) }
    }

    /// Registers the effects of a plan.
    private mutating func register(
        _ plan: Robot.Plan, after: [Wish], _ turn: Turn
    ) -> [Wish] {
        switch plan {
        case .sequence(let parts):
            var all: [Wish] = []
            var after = after
            for part in parts {
                after = register(part, after: after, turn)
                all += after
            }
            return all
        case .all(let parts): return parts.flatMap { register($0, after: after, turn) }
        default:
            guard let tag = plan.tag else { return [] }
            let wish = Wish(
                plan, tag: tag, owner: turn.owner, origin: turn.record.sequence,
                isLast: turn.record.isDone, after: after)
            turn.owner.wishes.append(wish)
            wishes[tag] = wish
            return [wish]
        }
    }

    // MARK: After a record

    private mutating func end(_ turn: Turn) throws {
        try checkCause(turn)
        for wish in turn.asked where wish.state == .asked && wish.after.isEmpty {
            throw Complaint("E4", "\(wish) was asked for, and nothing came of it")
        }
        try checkCancels(turn)
        try checkLines(turn.owner)
        guard turn.record.isDone, turn.record.kind != .effect else { return }
        turn.owner.isDone = true
        turn.owner.wasStopped = turn.record.kind == .stopped
        for wish in turn.owner.wishes where wish.state.isOpen && !wish.isLast {
            throw Complaint("E8", "\(wish) lives on after the end of its instance")
        }
        turn.owner.end()
    }

    /// Checks that an event has the right cause, and that an ended effect has caused its event.
    private func checkCause(_ turn: Turn) throws {
        switch (turn.event, turn.cause) {
        case (.came(let came)?, let cause?):
            let number: Int =
                switch cause.plan {
                case .work where turn.note?.type == "emitted": cause.emitted - 1
                case .work: cause.emitted
                default: 0
                }
            guard came == Robot.Came(tag: cause.tag, number: number) else {
                throw Complaint("E3", "\(cause) gave \(came.text)")
            }
        case (.came(let came)?, nil): try arrive(came, turn)
        case (.failed(let id, _)?, let cause?) where cause.state == .failed:
            guard cause.plan.id == id else {
                throw Complaint("E3", "\(cause) failed as \(id)")
            }
        case (.finish(let came)?, let cause?):
            guard case .end(_, _, let result) = cause.plan, result == came.tag else {
                throw Complaint("E3", "\(cause) ended its robot")
            }
        case (.finish?, nil), (.plan?, nil), (.close?, nil), (nil, nil): break
        case (nil, let cause?):
            // A result after the instance's end is dropped and causes no event.
            if turn.owner.isDone { return }
            if cause.state == .completed, ["send", "compensate"].contains(cause.plan.kind) {
                return
            }
            throw Complaint("E3", "what came of \(cause) was not applied")
        case (let event?, let cause):
            throw Complaint("E3", "\(event) comes from nowhere: \(String(describing: cause))")
        }
    }

    /// Checks an event that no effect of the robot itself explains. Another robot must have sent
    /// it.
    private func arrive(_ came: Robot.Came, _ turn: Turn) throws {
        guard let wish = wishes[came.tag], case .send(_, let target, _) = wish.plan else {
            throw Complaint("E3", "\(came.text) comes to \(turn.owner.name) from nowhere")
        }
        guard target == turn.owner.name.text, came.number == 0 else {
            throw Complaint("E5", "\(wish) arrived at \(turn.owner.name)")
        }
        guard wish.arrived == nil, wish.state == .live else {
            throw Complaint("E5", "\(wish) arrived, and wasn't under way")
        }
        try checkTime(wish, turn.record)
        wish.arrived = turn.record.sequence
    }

    /// Checks that a timed effect isn't early. If nothing delays it, it must not be late either.
    func checkTime(_ wish: Wish, _ record: JournalRecord) throws {
        let now = record.at
        guard let begun = wish.begun, let delay = wish.delay else {
            throw Complaint("E4", "\(wish) is over and never began")
        }
        let due = Timestamp(milliseconds: begun.milliseconds + delay)
        guard now >= due else { throw Complaint("E4", "\(wish), due at \(due), came at \(now)") }
        if let calm = log.calm, record.sequence > calm.head, due > calm.time, now != due {
            throw Complaint("E4", "\(wish), due at \(due), came as late as \(now)")
        }
    }

    /// Checks that a queue stays within its limit and starts the oldest first.
    private func checkLines(_ owner: AuditedInstance) throws {
        for line in Robot.Line.allCases {
            let inLine = owner.wishes.filter { $0.state.isOpen && $0.work?.line == line }
            let running = inLine.filter { $0.state == .live }
            guard running.count <= line.max else {
                throw Complaint("E9", "\(running) run in \(line)")
            }
            if let first = inLine.firstIndex(where: { $0.state == .waiting }),
                let last = inLine.lastIndex(where: { $0.state == .live }), first < last,
                inLine[first].notBefore == nil
            {
                throw Complaint("E9", "\(inLine[last]) began before \(inLine[first])")
            }
        }
    }
}
