import OrderedJSON
import Transducers

// Closures: effects whose work isn't data. They run like handlers, in their own handler queue, as
// long as the process lives. The next process cancels those that it finds, and starts the effects
// that the machine resumes.

extension Engine {
    /// The handler queue of all closures. A handler of this name can't be asked for.
    static let closureQueue = "(closure)"

    /// Takes the closures of the step in `scratch`.
    mutating func adoptClosures(at place: InstanceTable.Place) {
        guard !scratch.closures.bodies.isEmpty else { return }
        closures.adopt(scratch.closures, of: instances.residents[place].stored.number)
    }

    /// Forgets the closure of an effect that has ended.
    mutating func forgetClosure(of row: StoredEffect) {
        if let token = row.closureToken { closures.remove(token, of: row.ref.instance) }
    }

    /// Cancels the effects of an instance whose closures are gone, and begins what its machine
    /// resumes instead.
    mutating func resumeClosures(
        at place: InstanceTable.Place, _ effects: InstanceEffects, _ now: Timestamp
    ) {
        let closures = closures
        let lost = effects.rows.values.filter(closures.hasLost).map(\.ref.number)
        cancel(runs: lost, effects, at: place, now)
        do throws(Failure) {
            try resume(at: place, now)
        } catch {
            batch.effects.note(EffectRecord.refused(error.summary))
        }
        record(at: place, now)
    }

    private mutating func resume(at place: InstanceTable.Place, _ now: Timestamp) throws(Failure) {
        let stored = instances.residents[place].stored
        guard !stored.isDone, let definition = catalogue[stored.name.machine] else { return }
        try restoreMachine(at: place)
        guard let machine = instances.residents[place].machine else { return }
        scratch.removeAll()
        do throws(StepFailure) {
            try definition.machine.resume(machine, into: &scratch)
        } catch {
            throw Failure(error, state: stored.state, event: [])
        }
        try checkEffects(
            scratch.effects, beside: instances.residents[place].stored.effectCount,
            bytes: instances.residents[place].effects?.bytes ?? 0)
        adoptClosures(at: place)
        carryOut(scratch.effects, at: place, parent: nil, isFinal: false, now)
    }
}

extension StoredEffect {
    /// The token of the closure that it runs.
    var closureToken: Int64? {
        if case .closure(let token)? = body.run?.work { token } else { nil }
    }
}
