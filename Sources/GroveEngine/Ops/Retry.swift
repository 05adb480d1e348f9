import OrderedJSON
import Transducers

// What clients ask of effects: to see them, to cancel or retry one by hand, to answer one.

extension Engine {
    /// `retry`: restarts a failed effect with all its attempts, or makes the next attempt of a
    /// waiting one now. An `event` replaces the effect's event: then a failed timer is due at once,
    /// and a sleeping one keeps its time.
    mutating func retry(
        _ name: InstanceName, effect number: Int64, event: JSONValue?, in turn: Turn
    ) -> Reply {
        let outer = witness(name, effectNumber: number)
        defer { unwitness(outer) }
        do throws(Failure) {
            let found = try liveEffects(of: name, in: turn)
            try requireFree(name)
            guard let live = found, var row = live[number]?.awake, var wanted = row.body.run else {
                throw .noSuchEffect("\(name) has no effect \(number)")
            }
            if let event {
                wanted.work = try work(
                    wanted.work, with: event, of: instances.residents[live.place].stored,
                    effect: number, isDue: row.body.phase == .failed)
                var changed = row
                changed.body.run = wanted
                guard
                    live.effects.bytes - row.weight + changed.weight
                        <= Limits.effectBytesPerInstanceMax
                else { throw Self.tooManyEffectBytes }
            }
            switch row.body.phase {
            case .sleeping where event != nil && row.body.failures == 0:
                row.body.run = wanted
                live.effects.put(row)
                markDirty(live.place)
                return .done
            case .sleeping where row.body.failures > 0:
                row.due = turn.now
                live.effects.put(row)
                enqueueIfDue(row, at: turn.now)
            case .failed:
                let stored = instances.residents[live.place].stored
                guard !stored.isDone else {
                    throw .instanceDone(name, version: stored.version)
                }
                guard row.closureToken == nil else {
                    throw .noSuchEffect(
                        "effect \(number) of \(name) was a closure, which is gone: send the "
                            + "machine an event that asks for it anew")
                }
                live.effects.remove(number)
                start([.start(wanted)], in: live, isFinal: false)
            default:
                throw .noSuchEffect(
                    "effect \(number) of \(name) has not failed: it is "
                        + row.body.phase.rawValue)
            }
            appendEffectRecord(live)
            return .done
        } catch {
            return .failure(error)
        }
    }

    /// The work of an effect with another event.
    ///
    /// - Throws: `BAD_REQUEST` for an event that can't be decoded; `INTERNAL_EVENT` for one that
    ///   only the machine sends, unless the effect is its timer and the present event can no longer
    ///   be decoded (a client can make another machine send one that can't be decoded);
    ///   `NO_SUCH_EFFECT` for an effect without an event, or with an input in its place.
    private func work(
        _ work: HostedRun.Work, with event: JSONValue, of owner: StoredInstance,
        effect number: Int64, isDue: Bool
    ) throws(Failure) -> HostedRun.Work {
        let name = owner.name
        switch work {
        case .after(let delay, let old):
            try check(event, inPlaceOfTimers: old, by: definition(of: owner))
            return .after(milliseconds: isDue ? 0 : delay, event: event)
        case .send(let target, _, let delay):
            guard let machine = InstanceName(target)?.machine else {
                throw .noSuchEffect("effect \(number) of \(name) sends to no instance")
            }
            try check(event, by: present(machine))
            return .send(to: target, event: event, milliseconds: isDue ? 0 : delay)
        case .start(let machine, let instance, _?, let isDetached):
            let definition = try present(machine)
            // Its author has computed an input, which is no event.
            guard !definition.machine.takesInput else {
                throw .noSuchEffect(
                    "effect \(number) of \(name) holds an input, and no event")
            }
            try check(event, by: definition)
            return .start(
                machine: machine, instance: instance, input: event, detached: isDetached)
        case .start, .perform, .ask, .compensate, .closure:
            throw .noSuchEffect("effect \(number) of \(name) holds no event")
        }
    }

    private func present(_ machine: String) throws(Failure) -> Definition {
        guard let definition = catalogue[machine] else { throw .noSuchMachine(machine) }
        return definition
    }

    /// Checks an event as one that the client sends: it can't claim an origin.
    private func check(
        _ event: JSONValue, inPlaceOfTimers old: JSONValue? = nil, by definition: Definition
    ) throws(Failure) {
        let decoded: any HostedEvent
        do {
            let document = try JSONDocument(parsing: event.serialized())
            decoded = try definition.machine.decodeEvent(document, at: document.root)
        } catch let error as EventError {
            throw .badRequest(
                path: "$.event" + error.path.dropFirst(), message: error.message)
        } catch {
            throw .badRequest(path: "$.event", message: "\(error)")
        }
        guard let name = definition.internalName(of: decoded) else { return }
        // Whether it can be read, not how, is the question.
        guard let old, (try? definition.machine.decodeEvent(old)) == nil else {
            throw .internalEvent(name)
        }
    }

    /// `retry` without an effect: lets go an instance that was set aside.
    mutating func retry(_ name: InstanceName, in turn: Turn) -> Reply {
        let subject = HoldSubject.instance(name)
        guard holds[subject]?.kind == .setAside else {
            batch.rely(on: holds.isPending(subject))
            if holds[.machine(name.machine)]?.kind == .setAside {
                batch.rely(on: holds.isPending(.machine(name.machine)))
                return .failure(
                    .badRequest(
                        path: "$.to",
                        message: "machine \(name.machine) is set aside as a whole: "
                            + "resume the machine"))
            }
            return .failure(
                .badRequest(
                    path: "$.effect",
                    message: "\(name) is not set aside: say which effect is to be tried"))
        }
        _ = release(subject, in: turn)
        return .done
    }
}
