import OrderedJSON
import Transducers

// What a step asks for: rows begin, wait, are cancelled. All of it is part of the step's commit.

extension Engine {
    // MARK: Checks before a step is taken

    /// Reads an instance's effects, if it has any that aren't in memory.
    mutating func readEffects(at place: InstanceTable.Place, in turn: Turn) throws(Failure) {
        guard instances.residents[place].effects == nil,
            instances.residents[place].stored.effectCount > 0
        else { return }
        let stored = instances.residents[place].stored
        let rows = try reading { () throws(StoreError) in
            try Self.effects(of: stored, in: turn)
        }
        instances.residents[place].effects = InstanceEffects(
            rows, of: stored.number, lastEffectNumber: stored.lastEffectNumber)
        instances.weigh(place)
    }

    /// The rows of an instance. A damaged one beside them is not its trouble, as long as it has as
    /// many as it should.
    private static func effects(
        of stored: StoredInstance, in turn: Turn
    ) throws(StoreError) -> [StoredEffect] {
        do throws(StoreError) {
            return try turn.store.effects(of: stored.number)
        } catch .corrupt(let place) {
            let rows = try turn.store.ownEffects(of: stored.number)
            guard rows.count == stored.effectCount else { throw .corrupt(place) }
            return rows
        }
    }

    /// Refuses a step that asks for what this host can't do, or for too much.
    ///
    /// - Parameters:
    ///   - effects: What it asks for.
    ///   - live: How many effects the instance has already.
    ///   - bytes: About how many bytes these have.
    func checkEffects(
        _ effects: [HostedEffect], beside live: Int64, bytes: Int = 0
    ) throws(Failure) {
        guard !effects.isEmpty else { return }
        guard scratch.effectBytes <= options.step.outputBytes else {
            throw .evaluationLimit("a step's effects may carry \(options.step.outputBytes) bytes")
        }
        var asked = AskedEffects()
        try check(effects, &asked)
        guard closures.count + scratch.closures.bodies.count <= options.closuresMax else {
            throw .evaluationLimit(
                "a server may have \(options.closuresMax) closures under way or waiting")
        }
        guard asked.count <= Limits.effectsPerStepMax else {
            throw .evaluationLimit("a step may ask for \(Limits.effectsPerStepMax) effects")
        }
        guard asked.rows == 0 || asked.rows + live <= Limits.effectsPerInstanceMax else {
            throw .evaluationLimit(
                "an instance may have \(Limits.effectsPerInstanceMax) effects, and \(live) live")
        }
        guard
            asked.rows == 0 || bytes == 0
                || bytes + effects.weight <= Limits.effectBytesPerInstanceMax
        else {
            throw .evaluationLimit(
                "an instance may have \(Limits.effectBytesPerInstanceMax) bytes of effects")
        }
    }

    /// Refuses the step in `scratch` if it is larger than what is stored of one, or asks for
    /// effects that this host can't have.
    ///
    /// - Parameters:
    ///   - text: The event as it was sent.
    ///   - live: How many effects the instance has already.
    ///   - effectBytes: About how many bytes these have.
    func checkStep(
        _ text: [UInt8], beside live: Int64, bytes effectBytes: Int = 0
    ) throws(Failure) {
        let outputs = scratch.outputs.reduce(0) { $0 + $1.data.count }
        let bytes = text.count + outputs + scratch.state.bytes.count
        guard bytes <= Limits.stepBytesMax else {
            throw .evaluationLimit(
                "an event with its outputs and its state may have \(Limits.stepBytesMax) bytes, "
                    + "not \(bytes)")
        }
        try checkEffects(scratch.effects, beside: live, bytes: effectBytes)
    }

    /// What a step asks for, in numbers.
    private struct AskedEffects {
        /// Effects, parts of sequences and cancellations.
        var count = 0
        /// Rows that they make or will make: a cancellation makes none, so that who has as many
        /// as may be can still cancel some.
        var rows: Int64 = 0
    }

    private func check(_ effects: [HostedEffect], _ asked: inout AskedEffects) throws(Failure) {
        for effect in effects {
            switch effect {
            case .start(let run):
                asked.count += 1
                asked.rows += 1
                if case .perform(let handler, _) = run.work { try checkHandler(handler) }
                if let undo = run.undo { try checkHandler(undo.handler) }
            case .sequence(let parts):
                if !parts.isEmpty { asked.rows += 1 }
                try check(parts, &asked)
            case .all(let parts): try check(parts, &asked)
            case .event:
                asked.count += 1
                asked.rows += 1
            case .cancel, .updateQueue: asked.count += 1
            }
        }
    }

    private func checkHandler(_ name: String) throws(Failure) {
        guard schedule.handlerQueues.isKnown(name), name != Self.closureQueue else {
            throw .evaluation(
                "the machine asks for the handler \"\(name)\", which this server doesn't have")
        }
    }

    /// The instance's effects, made if it has none.
    mutating func effects(at place: InstanceTable.Place) -> InstanceEffects {
        if let effects = instances.residents[place].effects { return effects }
        let stored = instances.residents[place].stored
        let made = InstanceEffects([], of: stored.number, lastEffectNumber: stored.lastEffectNumber)
        instances.residents[place].effects = made
        return made
    }

    // MARK: A step

    /// Carries out what the step in `scratch` asks for. The last step ends everything that lives,
    /// and what it asks for itself goes on without being heard.
    mutating func carryOutStep(at place: InstanceTable.Place, isDone: Bool, _ now: Timestamp) {
        if isDone { cancelEffects(at: place, now) }
        guard !scratch.effects.isEmpty else { return }
        adoptClosures(at: place)
        carryOut(scratch.effects, at: place, parent: nil, isFinal: isDone, now)
    }

    mutating func carryOut(
        _ list: [HostedEffect], at place: InstanceTable.Place, parent: Int64?, isFinal: Bool,
        _ now: Timestamp
    ) {
        for effect in list {
            switch effect {
            case .start(let run):
                start(run, at: place, parent: parent, isFinal: isFinal, now)
            case .event(let event):
                // Its time has come within a sequence: a step of its own.
                start(
                    HostedRun(applying: event), at: place, parent: parent, isFinal: isFinal, now)
            case .cancel(let selector):
                cancel(selector, at: place, now)
            case .updateQueue(let queue):
                let effects = effects(at: place)
                change(effects, at: place, now) { ledger, now, draw, commands in
                    ledger.update(
                        QueueKey(queue), now: now, drawing: draw, into: &commands)
                }
            case .all(let parts):
                carryOut(parts, at: place, parent: parent, isFinal: isFinal, now)
            case .sequence(let parts):
                beginSequence(parts, at: place, parent: parent, isFinal: isFinal, now)
            }
        }
    }

    private mutating func start(
        _ run: HostedRun, at place: InstanceTable.Place, parent: Int64?, isFinal: Bool,
        _ now: Timestamp
    ) {
        let effects = effects(at: place)
        let owner = instances.residents[place].stored.name.text
        let ref = effects.ref(effects.ledger.lastNumber + 1)
        var row = StoredEffect(
            ref: ref,
            body: StoredEffect.Body(owner: owner, phase: .waiting, run: run, asked: now))
        row.body.parent = parent
        row.body.isFinal = isFinal
        if case .perform = run.work { row.body.log = schedule.log }
        row.body.request = batch.cause.request ?? parent.flatMap { effects[$0]?.body.request }
        effects.add(row)
        began(partOf: parent, effects)
        joined(ref, parent: parent.map(effects.ref))
        change(effects, at: place, now) { ledger, now, draw, commands in
            ledger.start(
                key: run.key.ledgerKey, policy: run.policy,
                queue: run.queue.map { QueueKey($0) }, rank: run.rank, payload: (), now: now,
                drawing: draw, into: &commands)
        }
        if let row = effects[ref.number], row.body.phase == .waiting {
            batch.effects.note(EffectRecord(.waiting, row).bytes)
        }
    }

    /// Changes the ledger and does what it says.
    mutating func change(
        _ effects: InstanceEffects, at place: InstanceTable.Place, _ now: Timestamp,
        _ body: (
            inout EffectLedger<Void>, Duration, (EffectQueueDelay) -> Duration,
            inout [EffectLedger<Void>.Command]
        ) -> Void
    ) {
        var commands: [EffectLedger<Void>.Command] = []
        var generator = options.random
        body(
            &effects.ledger, .milliseconds(now.milliseconds),
            { Self.draw($0, using: &generator) }, &commands)
        options.random = generator
        for command in commands {
            switch command {
            case .start(let run, let delay):
                begin(run: run.id.effectNumber, effects, at: place, after: delay, now)
            case .stop(let run), .drop(let run, .cancelled), .drop(let run, .discarded):
                cancelled(run: run.id.effectNumber, effects, now)
            case .drop(let run, .overloaded(let capacity)):
                guard var row = effects[run.id.effectNumber] else { continue }
                // Its failure is delivered like any other, after the step that asks for it.
                let error = TransducerError.effectQueueFull(capacity: capacity)
                row.body.outcome = .failure("\(error)")
                row.body.phase = .delivering
                row.due = now
                effects.put(row)
                putOnAgenda(row, now)
            }
        }
    }

    private static func draw(
        _ delay: EffectQueueDelay, using generator: inout any RandomNumberGenerator & Sendable
    ) -> Duration {
        switch delay {
        case .constant(let duration): return duration
        case .random(let range):
            let span = max(0, (range.upperBound - range.lowerBound).milliseconds)
            return range.lowerBound + .milliseconds(Int64.random(in: 0...span, using: &generator))
        }
    }

    // MARK: Beginning

    private mutating func begin(
        run: Int64, _ effects: InstanceEffects, at place: InstanceTable.Place,
        after delay: Duration, _ now: Timestamp
    ) {
        guard var row = effects[run] else { return }
        guard delay > .zero else { return begin(row, effects, now) }
        row.body.phase = .sleeping
        row.due = now.advanced(by: delay.milliseconds)
        effects.put(row)
        batch.effects.note(EffectRecord(.waiting, row).with(due: row.due).bytes)
    }

    /// Begins an effect's own work.
    mutating func begin(_ row: StoredEffect, _ effects: InstanceEffects, _ now: Timestamp) {
        guard let run = row.body.run else { return }
        var row = row
        row.body.begun = now.milliseconds
        row.due = nil
        switch run.work {
        case .after(let delay, _), .send(_, _, let delay):
            row.body.phase = .sleeping
            row.due = now.advanced(by: delay)
        case .perform(let handler, let argument):
            row.body.phase = .active
            row.handlerQueue = schedule.handlerQueues.name(for: handler, argument)
            batch.effects.ready.append((row.ref, row))
        case .closure where !closures.hasLost(row):
            row.body.phase = .active
            row.handlerQueue = Self.closureQueue
            batch.effects.ready.append((row.ref, row))
        case .start, .compensate, .closure:
            row.body.phase = .sleeping
            row.due = now
        case .ask(let expires):
            row.body.phase = .asking
            row.body.token = makeToken(row.ref)
            row.due = expires.map { now.advanced(by: $0) }
        }
        effects.put(row)
        var note = EffectRecord(.started, row)
        if let due = row.due, due > now { note = note.with(due: due) }
        if let token = row.body.token { note = note.with("token", .string(token)) }
        batch.effects.note(note.bytes)
        putOnAgenda(row, now)
    }

    /// What is due already is done with this batch, if there is room.
    func isDue(_ row: StoredEffect, _ now: Timestamp) -> Bool {
        row.due.map { $0 <= now } ?? false
    }

    mutating func putOnAgenda(_ row: StoredEffect, _ now: Timestamp) {
        if isDue(row, now) { batch.effects.agenda.append((row.ref, row.body.owner, false)) }
    }

    private mutating func makeToken(_ ref: EffectRef) -> String {
        var generator = options.random
        let secret = [generator.next(), generator.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        options.random = generator
        return EffectToken(ref: ref, secret: secret.joined()).text
    }

    // MARK: Rows

    /// Puts the rows that changed among the batch's writes.
    mutating func writeEffects(at place: InstanceTable.Place) {
        guard let effects = instances.residents[place].effects, effects.hasChanges else { return }
        effects.takeChanges { row, ref, isNew in
            batch.writes.write(row, of: ref, isNew: isNew)
        }
        schedule.isDueStale = true
        instances.residents[place].stored.lastEffectNumber = effects.ledger.lastNumber
        // Also those that only stop a child: whoever reads the instance has to find them.
        instances.residents[place].stored.effectCount = Int64(effects.rows.count)
        if effects.rows.isEmpty {
            closures.removeAll(of: instances.residents[place].stored.number)
        }
    }
}

extension HostedRun {
    /// An event that is applied at once.
    init(applying event: JSONValue) {
        self.init(
            key: HostedKey(id: nil), work: .after(milliseconds: 0, event: event),
            retry: .never)
    }
}

extension StoredEffect {
    /// Whether its child lives on without it.
    var isDetached: Bool {
        if case .start(_, _, _, let isDetached)? = body.run?.work { isDetached } else { false }
    }
}

extension Timestamp {
    /// So many milliseconds later; the end of time at the latest.
    func advanced(by milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }
}
