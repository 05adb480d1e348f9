import GroveWire
import OrderedJSON
import Transducers

// The start of effects: rows that begin, wait or are canceled. All of it is part of the commit of
// the step that asks for it.

extension Engine {
    // MARK: A step

    /// Starts the effects of the step in `scratch`. The last step first cancels all live effects;
    /// the results of those that it asks for are dropped.
    mutating func startEffects(at place: InstanceTable.Place, isDone: Bool, in turn: Turn) {
        if isDone { cancelEffects(at: place, in: turn) }
        guard !scratch.effects.isEmpty else { return }
        if instances.residents[place].effects == nil {
            // Nothing to cancel: an instance without effects needs no object for them.
            guard !scratch.effects.allSatisfy(\.isCancellation) else { return }
        }
        storeClosures(at: place)
        start(scratch.effects, in: liveEffects(at: place, in: turn), isFinal: isDone)
    }

    mutating func start(
        _ list: [HostedEffect], in live: LiveEffects, parent: Int64? = nil, isFinal: Bool
    ) {
        for effect in list {
            switch effect {
            case .start(let run):
                start(run, in: live, parent: parent, isFinal: isFinal)
            case .event(let event):
                // The next part of a sequence: an event that gets its own step.
                let run = HostedRun(
                    key: HostedKey(id: nil), work: .after(milliseconds: 0, event: event),
                    retry: .never)
                start(run, in: live, parent: parent, isFinal: isFinal)
            case .cancel(let selector):
                cancel(selector, in: live)
            case .log(let label, let value):
                batch.effects.record(
                    EffectRecord(.logged).with("label", label).with("value", value))
            case .rename(let renames):
                rename(renames, in: live)
            case .updateQueue(let queue):
                change(live) { $0.update(QueueKey(queue), now: $1, drawing: $2) }
            case .all(let parts):
                start(parts, in: live, parent: parent, isFinal: isFinal)
            case .sequence(let parts):
                startSequence(parts, in: live, parent: parent, isFinal: isFinal)
            }
        }
    }

    private mutating func start(
        _ run: HostedRun, in live: LiveEffects, parent: Int64?, isFinal: Bool
    ) {
        let number = live.effects.ledger.lastNumber + 1
        var row = newRow(number, .waiting, run, in: live, parent: parent, isFinal: isFinal)
        if case .perform = run.work { row.body.log = schedule.log }
        let key = run.key.ledgerKey
        if run.key.types != nil, run.queue == nil, run.policy != .coexist {
            live.effects.adopt(run.key)
        }
        if run.queue == nil,
            live.effects.ledger.startAlone(key: key, policy: run.policy, rank: run.rank)
        {
            // Its row is added once, as it is after its start.
            return begin(consume row, in: live, isNew: true)
        }
        add(row, in: live)
        change(live) {
            $0.start(
                key: key, policy: run.policy, queue: run.queue.map { QueueKey($0) },
                rank: run.rank, now: $1, drawing: $2)
        }
        if let row = live[number], row.body.phase == .waiting {
            batch.effects.record(EffectRecord(.waiting, row))
        }
    }

    /// Gives effects other names, all at once. A delayed send to a child that an effect has started
    /// follows it.
    private mutating func rename(_ renames: [HostedRename], in live: LiveEffects) {
        let found = renames.map { live.effects.numbers(named: $0.from.text ?? "") }
        var targets: [String: String] = [:]
        for (rename, numbers) in zip(renames, found) {
            for number in numbers {
                guard let row = live[number], let run = row.body.run, row.body.phase != .stopping
                else { continue }
                var work = run.work
                if let event = rename.event, case .after(let delay, _) = work {
                    work = .after(milliseconds: delay, event: event)
                }
                live.effects.rename(number, to: rename.to, work: work)
                if let row = live[number] {
                    batch.effects.record(
                        EffectRecord(.renamed, row).with("was", rename.from.text))
                }
            }
            if let from = rename.from.text, let to = rename.to.text {
                targets["#\(from)"] = "#\(to)"
            }
        }
        for row in live.effects.sorted {
            guard let run = row.body.run,
                case .send(let target, let event, let delay) = run.work,
                let other = targets[target]
            else { continue }
            live.effects.rename(
                row.ref.number, to: run.key,
                work: .send(to: other, event: event, milliseconds: delay))
        }
    }

    func newRow(
        _ number: Int64, _ phase: StoredEffect.Phase, _ run: HostedRun?, in live: LiveEffects,
        parent: Int64?, isFinal: Bool
    ) -> StoredEffect {
        let owner = instances.residents[live.place].stored.name.text
        var row = StoredEffect(
            ref: live.effects.ref(number),
            body: StoredEffect.Body(owner: owner, phase: phase, run: run, asked: live.now))
        row.body.parent = parent
        row.body.isFinal = isFinal
        row.body.request = batch.cause.request ?? parent.flatMap { live[$0]?.body.request }
        row.body.trace = batch.cause.trace?.text ?? parent.flatMap { live[$0]?.body.trace }
        return row
    }

    /// Adds the row of a new effect. Its sequence and the requests that wait for its cause wait
    /// for it from now on.
    mutating func add(_ row: StoredEffect, in live: LiveEffects) {
        live.effects.put(row)
        if let parent = row.body.parent, var sequence = live[parent] {
            sequence.body.outstanding += 1
            live.effects.put(sequence)
        }
        joinWaiters(row.ref, parent: row.body.parent.map(live.effects.ref))
    }

    mutating func change(
        _ live: LiveEffects,
        _ body: (
            inout EffectLedger, Duration, (EffectQueueDelay) -> Duration
        ) -> [EffectLedger.Command]
    ) {
        var generator = options.random
        let commands = body(
            &live.effects.ledger, .milliseconds(live.now.milliseconds),
            { Self.draw($0, using: &generator) })
        options.random = generator
        for command in commands {
            switch command {
            case .start(let run, let delay):
                begin(run.id.effectNumber, in: live, after: delay)
            case .stop(let run), .drop(let run, .cancelled), .drop(let run, .discarded):
                endCancelled(run.id.effectNumber, in: live)
            case .drop(let run, .overloaded(let capacity)):
                guard var row = live[run.id.effectNumber] else { continue }
                // Its failure is delivered like any other, after the step that asks for it.
                let error = TransducerError.effectQueueFull(capacity: capacity)
                row.body.outcome = .failure("\(error)")
                row.body.phase = .delivering
                row.due = live.now
                live.effects.put(row)
                enqueueIfDue(row, at: live.now)
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

    // MARK: The start of an effect's work

    private mutating func begin(_ number: Int64, in live: LiveEffects, after delay: Duration) {
        guard var row = live[number] else { return }
        guard delay > .zero else { return begin(row, in: live) }
        row.body.phase = .sleeping
        row.due = live.now.advanced(by: delay.milliseconds)
        live.effects.put(row)
        batch.effects.record(EffectRecord(.waiting, row).with(due: row.due))
    }

    /// Begins the work of an effect.
    ///
    /// - Parameter isNew: Whether its row isn't among those of its instance yet.
    mutating func begin(
        _ row: consuming StoredEffect, in live: LiveEffects, isNew: Bool = false
    ) {
        var row = row
        guard let run = row.body.run else { return }
        let now = live.now
        row.body.begun = now.milliseconds
        row.due = nil
        switch run.work {
        case .after(let delay, _), .send(_, _, let delay):
            row.body.phase = .sleeping
            row.due = now.advanced(by: delay)
        case .perform(let handler, let argument):
            row.body.phase = .active
            row.handlerQueue = schedule.handlerQueues.name(for: handler, argument)
            batch.effects.ready.append((row, instances.residents[live.place].stored.name))
        case .closure where !closures.hasLost(row):
            row.body.phase = .active
            row.handlerQueue = Self.closureQueue
            batch.effects.ready.append((row, instances.residents[live.place].stored.name))
        case .start, .compensate, .closure:
            row.body.phase = .sleeping
            row.due = now
        case .ask(let expires):
            row.body.phase = .asking
            row.body.token = makeToken(row.ref)
            row.due = expires.map { now.advanced(by: $0) }
        }
        if isNew { add(row, in: live) } else { live.effects.put(row) }
        var record = EffectRecord(.started, row)
        if let due = row.due, due > now { record = record.with(due: due) }
        if let token = row.body.token { record = record.with("token", token) }
        batch.effects.record(record)
        enqueueIfDue(row, at: now)
    }

    /// Puts an effect that is due among those of this batch.
    mutating func enqueueIfDue(_ row: StoredEffect, at now: Timestamp) {
        if row.isDue(at: now) { batch.effects.due.append((row.ref, row.body.owner, false)) }
    }

    private mutating func makeToken(_ ref: EffectRef) -> String {
        var generator = options.random
        let secret = generator.next().hexDigits + generator.next().hexDigits
        options.random = generator
        return EffectToken(ref: ref, secret: secret).text
    }
}

extension HostedEffect {
    fileprivate var isCancellation: Bool { if case .cancel = self { true } else { false } }
}

extension Timestamp {
    /// This time and `milliseconds`; the end of time at the latest.
    func advanced(by milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }
}
