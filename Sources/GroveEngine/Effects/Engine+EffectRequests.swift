import OrderedJSON
import Transducers

// What clients ask of effects: to see them, to cancel or retry one by hand, to answer one.

extension Engine {
    /// `effects`: a page of rows.
    mutating func effects(_ query: EffectsQuery, of request: Request, in turn: Turn) -> Reply? {
        guard let name = query.to else {
            return page(.effects(EffectsRead(query)), of: request, in: turn)
        }
        do throws(Failure) {
            let found = try find(name, in: turn)
            let stored = try self.stored(found, name: name)
            guard case .resident(let place) = found else {
                preconditionFailure("an instance that is there is resident")
            }
            try readEffects(at: place, in: turn)
            var room = Limits.pageBytesMax
            var page: [StoredEffect] = []
            var isCutShort = false
            guard let effects = instances.residents[place].effects else {
                return .effects([], next: nil)
            }
            for row in effects.sorted
            where row.ref.number == stored.number && query.includes(row) {
                room -= row.shownBytes
                isCutShort = page.count == query.limit || (room <= 0 && !page.isEmpty)
                if isCutShort { break }
                page.append(row)
            }
            return .effects(page, next: isCutShort ? page.last?.ref : nil)
        } catch {
            return .failure(error)
        }
    }

    /// A turn of `effects` of all instances: rows as they are committed.
    mutating func advance(_ read: inout EffectsRead, in turn: Turn) throws(Failure) -> Reply? {
        var rowsLeft = EffectsRead.rowsPerTurn
        var bytesLeft = EffectsRead.bytesPerTurn
        while rowsLeft > 0, bytesLeft > 0 {
            let (after, step) = (read.after, min(read.step, rowsLeft))
            let rows = try reading { () throws(StoreError) in
                try turn.store.effects(after: after, limit: step)
            }
            var bytes = 0
            for row in rows {
                bytes += row.readBytes
                if read.query.includes(row) {
                    read.page.append(row)
                    read.room -= row.shownBytes
                }
                read.after = row.ref
                if read.page.count == read.query.limit || read.room <= 0 {
                    return .effects(read.page, next: read.after)
                }
            }
            rowsLeft -= rows.count
            bytesLeft -= bytes
            read.step = bytes > bytesLeft / 4 ? max(1, step / 4) : min(64, step * 2)
            read.looked += rows.count
            if rows.isEmpty { return .effects(read.page, next: nil) }
            if read.looked >= Limits.listRowsScannedMax {
                return .effects(read.page, next: read.after)
            }
        }
        return nil
    }

    /// `cancel`: effects of an instance, exactly, whatever they do now.
    mutating func cancel(_ name: InstanceName, _ choice: CancelChoice, in turn: Turn) -> Reply {
        do throws(Failure) {
            let (place, effects) = try liveEffects(of: name, in: turn)
            let meant = choice.candidates(among: effects).filter { choice.includes($0) }
            guard !meant.isEmpty else {
                return .cancelled([], cursor: Cursor(sequence: head))
            }
            for row in meant where row.body.phase == .failed || row.body.phase == .completed {
                effects.remove(row.ref.run)
                batch.effects.note(EffectNote(.cancelled, row).bytes)
            }
            cancel(runs: meant.map(\.ref.run), effects, at: place, turn.now)
            record(at: place, turn.now)
            return .cancelled(meant.map(\.ref.run), cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }

    /// `retry`: an effect that has failed for good begins anew with all its tries; one that waits
    /// for its next try makes it now. With an event, one that holds an event holds this one then: a
    /// timer that has failed is due at once, one that sleeps keeps its time.
    mutating func retry(_ name: InstanceName, run: Int64, event: JSONValue?, in turn: Turn) -> Reply
    {
        let outer = witness(name, run: run)
        defer { unwitness(outer) }
        do throws(Failure) {
            let (place, effects) = try liveEffects(of: name, in: turn)
            try requireFree(name)
            guard var row = effects[run]?.awake, var wanted = row.body.run else {
                throw .noSuchEffect("\(name) has no effect \(run)")
            }
            if let event {
                wanted.work = try work(
                    wanted.work, with: event, of: name, run: run,
                    isDue: row.body.phase == .failed)
                var changed = row
                changed.body.run = wanted
                guard
                    effects.bytes - row.weight + changed.weight
                        <= Limits.effectBytesPerInstanceMax
                else {
                    throw .evaluationLimit(
                        "an instance may have \(Limits.effectBytesPerInstanceMax) bytes of "
                            + "effects")
                }
            }
            switch row.body.phase {
            case .sleeping where event != nil && row.body.failures == 0:
                row.body.run = wanted
                effects.put(row)
                markDirty(place)
                return .done
            case .sleeping where row.body.failures > 0:
                row.due = turn.now
                effects.put(row)
                putOnAgenda(row, turn.now)
            case .failed:
                guard !instances.residents[place].stored.isDone else {
                    throw .instanceDone(name, version: instances.residents[place].stored.version)
                }
                guard row.closureToken == nil else {
                    throw .noSuchEffect(
                        "effect \(run) of \(name) was a closure, which is gone: send the machine "
                            + "an event that asks for it anew")
                }
                effects.remove(run)
                carryOut([.start(wanted)], at: place, parent: nil, isFinal: false, turn.now)
            default:
                throw .noSuchEffect(
                    "effect \(run) of \(name) has not failed: it is "
                        + row.body.phase.rawValue)
            }
            record(at: place, turn.now)
            return .done
        } catch {
            return .failure(error)
        }
    }

    /// The work of an effect with another event than the one it holds.
    ///
    /// - Throws: `BAD_REQUEST` for one that can't be read; `INTERNAL_EVENT` for one that only the
    ///   machine sends, unless it is its own timer's and takes the place of one that can't be
    ///   read any more (a client can have another machine send what can't be read); and
    ///   `NO_SUCH_EFFECT` for an effect that holds none.
    private func work(
        _ work: HostedRun.Work, with event: JSONValue, of name: InstanceName, run: Int64,
        isDue: Bool
    ) throws(Failure) -> HostedRun.Work {
        switch work {
        case .after(let delay, let old):
            try check(event, inPlaceOfTimers: old, for: name.machine)
            return .after(milliseconds: isDue ? 0 : delay, event: event)
        case .send(let target, _, let delay):
            guard let machine = InstanceName(target)?.machine else {
                throw .noSuchEffect("effect \(run) of \(name) sends to no instance")
            }
            try check(event, for: machine)
            return .send(to: target, event: event, milliseconds: isDue ? 0 : delay)
        case .start(let machine, let instance, _?, let isDetached):
            try check(event, for: machine)
            return .start(
                machine: machine, instance: instance, input: event, detached: isDetached)
        case .start, .perform, .ask, .compensate, .closure:
            throw .noSuchEffect("effect \(run) of \(name) holds no event")
        }
    }

    private func check(
        _ event: JSONValue, inPlaceOfTimers old: JSONValue? = nil, for machine: String
    ) throws(Failure) {
        guard let definition = catalogue[machine] else { throw .noSuchMachine(machine) }
        let decoded: any HostedEvent
        do throws(EventError) {
            decoded = try definition.machine.decodeEvent(event)
        } catch {
            throw .badRequest(
                path: "$.event" + error.path.dropFirst(), message: error.message)
        }
        guard let name = definition.internalName(of: decoded) else { return }
        // Whether it can be read, not how, is the question.
        guard let old, (try? definition.machine.decodeEvent(old)) == nil else {
            throw .internalEvent(name)
        }
    }

    /// `complete`: answers an effect that waits for somebody outside; once.
    mutating func complete(_ token: EffectToken, _ answer: EffectAnswer, in turn: Turn) -> Reply {
        do throws(Failure) {
            let unknown = Failure.noSuchEffect(
                "the token is none that waits: it was answered, has expired, or never was one")
            let pending = batch.writes.effect(token.ref)
            batch.rely(on: pending != nil)
            let stored =
                pending == nil
                ? try reading { () throws(StoreError) in try turn.store.effect(token.ref) }
                : pending?.row
            guard let owner = stored.flatMap({ InstanceName($0.body.owner) }) else {
                throw unknown
            }
            guard catalogue[owner.machine] != nil else { throw .noSuchMachine(owner.machine) }
            let outer = witness(owner, run: token.ref.run)
            defer { unwitness(outer) }
            let (place, effects) = try liveEffects(of: owner, in: turn)
            guard let row = effects[token.ref.run], row.ref == token.ref,
                row.body.phase == .asking, let handedOut = row.body.token,
                token.matches(handedOut)
            else { throw unknown }
            try requireFree(owner)
            switch answer {
            case .result(let value):
                // One that doesn't fit is refused, and the effect goes on waiting.
                do throws(StepFailure) {
                    _ = try event(of: value, for: row, at: place)
                } catch {
                    throw .badRequest(path: "$.result", message: error.reason)
                }
                complete(row, effects, at: place, result: value, in: turn)
            case .failure(let reason):
                fail(row, effects, at: place, reason: reason, in: turn)
            }
            return .done
        } catch {
            return .failure(error)
        }
    }

    private mutating func liveEffects(
        of name: InstanceName, in turn: Turn
    ) throws(Failure) -> (InstanceTable.Place, InstanceEffects) {
        let found = try find(name, in: turn)
        _ = try stored(found, name: name)
        guard case .resident(let place) = found else {
            preconditionFailure("an instance that is there is resident")
        }
        try readEffects(at: place, in: turn)
        return (place, effects(at: place))
    }
}

extension EffectsQuery {
    fileprivate func includes(_ row: StoredEffect) -> Bool {
        guard row.body.run != nil else { return false }
        if let phase, row.body.phase != phase { return false }
        if let after, row.ref <= after { return false }
        return true
    }
}

extension CancelChoice {
    /// The effects that can be meant, in the order of their runs: by number or name, few are
    /// looked at.
    fileprivate func candidates(among effects: InstanceEffects) -> [StoredEffect] {
        switch self {
        case .run(let number): [effects[number]].compactMap { $0 }
        case .id(let name), .timer(let name):
            effects.runs(named: name).compactMap { effects[$0] }
        case .request: Array(effects.sorted)
        }
    }

    /// Whether an effect is meant.
    fileprivate func includes(_ row: StoredEffect) -> Bool {
        guard let run = row.body.run, row.body.phase != .stopping else { return false }
        switch self {
        case .run(let number): return row.ref.run == number
        case .id(let id): return run.key.text == id
        case .timer(let id):
            if case .after = run.work { return run.key.text == id }
            return false
        case .request(let key):
            return row.body.request.map { Array($0.utf8) == key } ?? false
        }
    }
}
