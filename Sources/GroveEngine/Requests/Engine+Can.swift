import OrderedJSON
import Transducers

extension Engine {
    /// `can`: what a `send` of this event would come to, on a copy that is thrown away. Nothing
    /// is created, drawn or remembered, but that the instance may be read into memory.
    mutating func can(_ can: Can, store: any Store) -> Outcome {
        let outer = witness(can.to)
        defer { unwitness(outer) }
        var needsCommit = false
        do throws(Failure) {
            if case .withheld = can.event {
                try requireFree(can.to)
                throw Failure.busy("\(can.to) was let go at this moment")
            }
            guard let definition = catalogue[can.to.machine] else {
                throw Failure.noSuchMachine(can.to.machine)
            }
            let found = try find(can.to, store: store)
            needsCommit = self.needsCommit(found)
            if case .resident(let place) = found, instances.residents[place].stored.isDone {
                return Outcome(
                    .can(Reply.Can(refusal: "\(can.to) is done", accepts: [])),
                    needsCommit: needsCommit)
            }
            try requireFree(can.to)
            var trial = try copy(found, definition)
            guard !trial.isDone else {
                return Outcome(
                    .can(Reply.Can(refusal: "\(can.to) is done", accepts: [])),
                    needsCommit: needsCommit)
            }
            let event = try decoded(can.event)
            // The buffer of steps keeps count of closures: this one is another.
            var step = StepBuffer()
            swap(&step, &scratch)
            defer { swap(&step, &scratch) }
            do throws(StepFailure) {
                try trial.machine.apply(event, limits: options.step, into: &scratch)
            } catch .rejected(let rejection) {
                return Outcome(
                    .can(Reply.Can(refusal: rejection.reason, accepts: rejection.accepts)),
                    needsCommit: needsCommit)
            } catch {
                throw Failure(error, state: [], event: [])
            }
            try checkStep(
                can.eventText, beside: trial.effects,
                bytes: effectBytes(of: found, store: store))
            return Outcome(.can(Reply.Can(state: scratch.state.bytes)), needsCommit: needsCommit)
        } catch {
            return Outcome(.failure(error), needsCommit: needsCommit || isHoldPending(error))
        }
    }

    /// About how many bytes the effects of an instance have, when the step in `scratch` asks for
    /// more of them.
    private mutating func effectBytes(
        of found: Found, store: any Store
    ) throws(Failure) -> Int {
        guard case .resident(let place) = found, !scratch.effects.isEmpty else { return 0 }
        try readEffects(at: place, store: store)
        return instances.residents[place].effects?.bytes ?? 0
    }

    /// An instance as its next event would find it; of an absent one, as it would begin.
    private func copy(
        _ found: Found, _ definition: Definition
    ) throws(Failure) -> (machine: any HostedInstance, isDone: Bool, effects: Int64) {
        do throws(StepFailure) {
            guard case .resident(let place) = found else {
                let fresh = try definition.machine.makeInstance()
                return (fresh, fresh.isTerminal, 0)
            }
            let stored = instances.residents[place].stored
            if let machine = instances.residents[place].machine {
                return (machine, stored.isDone, stored.effectCount)
            }
            let machine = try definition.machine.restoreInstance(
                state: stored.state, from: stored.definitionVersion)
            return (machine, stored.isDone, stored.effectCount)
        } catch {
            throw Failure(error, state: [], event: [])
        }
    }
}
