import GroveEngine
import GroveTestSupport
import OrderedJSON
import Transducers

/// One run of a world: a phase with faults, a phase without, then the checks.
struct EffectSimulation {
    /// The result of a run.
    struct Outcome {
        var steps = 0
        var crashes = 0
        var faults = 0
        var effects = 0
        /// Everything that left the engine.
        var trace: [String] = []
        /// Everything that was written.
        var written: [[UInt8]] = []
    }

    private let world: EffectWorld
    /// Tokens that were seen, open and used ones.
    private var tokens: [String] = []

    init(_ world: EffectWorld) { self.world = world }

    /// Runs the simulation.
    ///
    /// - Throws: A ``Complaint`` if a promise was broken.
    mutating func run() throws -> Outcome {
        if world.plan.hasBrood { try breed() }
        for number in 0..<world.plan.steps {
            if world.plan.hasBrood, number == world.plan.steps / 2 { try endBrood() }
            try step()
        }
        try rest()
        var audit = try EffectAudit(world.store, world.log, world.handlers)
        try audit.finish()
        var outcome = Outcome(
            steps: Int(world.store.head), crashes: world.crashes, faults: world.store.injected,
            effects: audit.count, trace: world.trace ?? [])
        if world.trace != nil { outcome.written = try Self.bytes(of: world.store) }
        return outcome
    }

    private static func bytes(of store: SimulatedStore) throws -> [[UInt8]] {
        try store.committed.flatMap { writes in
            try [writes.journal, writes.snapshots]
                + writes.effects.map { try $0.row?.encodedBody() ?? [] }
        }
    }

    // MARK: With faults

    private mutating func step() throws {
        try passTime()
        if world.random.chance(world.plan.crashes) { return try world.crash() }
        switch world.random.below(10) {
        case 0, 1, 2: try clientActs()
        case 3, 4, 5: try world.handlersAct()
        case 6, 7: try world.wake()
        default: try world.flush()
        }
    }

    private func passTime() throws {
        switch world.random.below(100) {
        case 0..<70: world.pass(Int64(world.random.below(20)))
        case 70..<90:
            // Jumps to the next due time, if it is soon enough.
            if let due = world.nextDue, due > world.now,
                due.milliseconds - world.now.milliseconds < 100_000_000
                    || world.random.chance(100)
            {
                world.pass(due.milliseconds - world.now.milliseconds)
            }
        case 90..<98: world.pass(Int64(world.random.below(10_000)))
        default: world.pass(Int64(world.random.below(3 * 86_400_000)))
        }
        // The system clock is set.
        if world.random.chance(world.plan.jumps) {
            world.pass(world.random.pick([-3_600_000, -5_000, 3_600_000, 31_536_000_000]))
        }
    }

    private mutating func clientActs() throws {
        switch world.random.below(100) {
        case 0..<62: try order()
        case 62..<70: try cancel()
        case 70..<84: try complete()
        case 84..<87: try finish()
        case 87..<89: try world.ask(.stop(anybody(), reason: "enough"))
        case 89..<91: try world.ask(.delete(anybody()))
        case 91..<94: try retry()
        case 94..<97: try look()
        default:
            try world.ask(.await(Await(to: anybody(), until: .done, timeout: 5_000)))
        }
    }

    private func robot() throws -> InstanceName {
        try Self.name(world.random.pick(world.maker.robots))
    }

    /// Returns the name of a robot or of a child.
    private func anybody() throws -> InstanceName {
        let all = try world.store.instances(prefix: "robot/", after: nil, limit: 1_000)
        guard !all.isEmpty, world.random.chance(600) else { return try robot() }
        return world.random.pick(all).name
    }

    private static func name(_ text: String) throws -> InstanceName {
        guard let name = InstanceName(text) else { throw Complaint("-", "no name: \(text)") }
        return name
    }

    private func order() throws {
        let name = world.random.chance(800) ? try robot() : try anybody()
        let order = world.maker.makeOrder(&world.random)
        try world.send(
            .plan(order), to: name, serial: order.serial,
            dedup: world.random.chance(500) ? "s\(order.serial)" : nil,
            settle: world.random.pick([.none, .none, .none, .own, .tree]),
            timeout: world.random.pick([10, 5_000, 3_600_000]))
    }

    private static let mother = "robot/mother"

    /// Gives a robot more children than one batch can stop.
    private func breed() throws {
        let order = world.maker.makeBrood()
        try world.send(.plan(order), to: Self.name(Self.mother), serial: order.serial)
    }

    private func endBrood() throws {
        let name = try Self.name(Self.mother)
        try world.ask(
            world.random.chance(700) ? .stop(name, reason: "enough") : .delete(name))
        try world.flush()
        if world.random.chance(800) { try world.crash() }
    }

    /// Ends an instance, sometimes with effects in the last step.
    private func finish() throws {
        let name = try anybody()
        let serial = world.maker.makeSerial()
        let kid = "robot/\(Robot.childName(""))"
        let tag = name.text.hasPrefix(kid) ? String(name.text.dropFirst(kid.count)) : "end"
        let result = Robot.Came(tag: tag)
        if world.random.chance(500) {
            try world.send(.finish(result), to: name, serial: -serial)
        } else {
            let order = world.maker.makeLastOrder(&world.random)
            try world.send(.close(order, result: result), to: name, serial: order.serial)
        }
    }

    private func rows() throws -> [StoredEffect] {
        try world.store.effects(after: nil, limit: 10_000)
    }

    private func cancel() throws {
        let rows = try rows().filter { $0.body.run != nil }
        guard !rows.isEmpty else { return }
        let row = world.random.pick(rows)
        let id = row.body.run?.key.text ?? "t1"
        var choice = world.random.pick([
            Operation.CancelChoice.effect(row.ref.number), .id(id), .timer(id),
        ])
        if let request = row.body.request, world.random.chance(300) {
            choice = .request(Array(request.utf8))
        }
        try world.cancel(Self.name(row.body.owner), choice)
    }

    private func retry() throws {
        let rows = try rows().filter { $0.body.failures > 0 || $0.body.phase == .failed }
        guard !rows.isEmpty else { return }
        let row = world.random.pick(rows)
        try world.retry(row, of: Self.name(row.body.owner))
    }

    private func look() throws {
        let name = try anybody()
        try world.ask(
            world.random.pick([
                .get(Get(to: name, at: nil)), .effects(EffectsQuery(to: name)),
                .effects(EffectsQuery(limit: 7)),
            ]))
    }

    // MARK: Tokens

    /// Completes an effect from outside, with an open, a used or an invented token.
    private mutating func complete() throws {
        let asking = try rows().filter { $0.body.phase == .asking }.compactMap(\.body.token)
        let isNew = !asking.isEmpty && world.random.chance(600)
        guard isNew || !tokens.isEmpty else { return }
        var text = world.random.pick(isNew ? asking : tokens)
        if isNew { tokens.append(text) }
        if world.random.chance(100) {
            text = text.dropLast() + (text.hasSuffix("0") ? "1" : "0")
        }
        try complete(text)
        if world.random.chance(200) { try complete(text) }
    }

    private func complete(_ text: String) throws {
        guard let token = EffectToken(text) else { throw Complaint("E6", "no token: \(text)") }
        var isExpected: Bool?
        let row = try world.store.effect(token.ref)
        if !world.isPending { isExpected = row?.body.token == text }
        guard let tag = row?.body.run?.key.text, world.random.chance(800) else {
            return try world.ask(
                .complete(token, .failure("no")),
                .complete(token: text, isExpected: isExpected))
        }
        try world.ask(
            .complete(token, .result(["tag": .string(tag), "number": 0])),
            .complete(token: text, isExpected: isExpected))
    }

    // MARK: Without faults

    /// Ends all faults. Moves time to every due effect, however far away, and lets every handler
    /// end.
    private func rest() throws {
        try world.calmDown()
        var turns = 0
        while true {
            turns += 1
            guard turns < 20_000 else { throw Complaint("E3", "it never comes to rest") }
            if !world.handlers.isIdle {
                try world.handlersAct(isCalm: true)
                try world.flush()
            } else if let due = world.nextDue {
                try checkLanes(before: due)
                if due > world.now { world.pass(due.milliseconds - world.now.milliseconds) }
                try world.wake()
                try world.flush()
            } else {
                break
            }
        }
        guard world.log.open.isEmpty else {
            throw Complaint("E2", "\(world.log.open.count) requests were never answered")
        }
    }

    /// No handler is running, and the engine isn't woken before `due`: no effect may be waiting.
    private func checkLanes(before due: Timestamp) throws {
        // Effects that a full disk held up may wait for a second.
        guard due.milliseconds > world.now.milliseconds + 1_000 else { return }
        for lane in try world.store.handlerQueues() {
            let handler = lane.split(separator: "\n").first.map(String.init) ?? ""
            guard SimulatedHandlers.traits[handler] != nil else { continue }
            let waiting = try world.store.effects(inHandlerQueue: lane, after: nil, limit: 10)
            guard waiting.isEmpty else {
                throw Complaint("E1", "\(waiting) wait for \(lane), which does nothing")
            }
        }
    }
}
