import OrderedJSON
import Transducers

// Closures: effects whose work isn't data. They run like handlers, in their own handler queue, as
// long as the process lives. The next process cancels those that it finds, and starts the effects
// that the machine resumes.

extension Engine {
    /// The handler queue of all closures. No machine can ask for a handler of this name.
    static let closureQueue = "(closure)"

    mutating func storeClosures(at place: InstanceTable.Place) {
        guard !scratch.closures.bodies.isEmpty else { return }
        closures.insert(scratch.closures, of: instances.residents[place].stored.number)
    }

    mutating func removeClosure(of row: StoredEffect) {
        if let token = row.closureToken { closures.remove(token, of: row.ref.instance) }
    }

    /// Cancels the effects of an instance whose closures are gone, and starts the effects that its
    /// machine resumes instead.
    mutating func resumeClosures(_ live: LiveEffects) {
        let closures = closures
        let lost = live.effects.rows.values.filter(closures.hasLost).map(\.ref.number)
        cancel(lost, in: live)
        do throws(Failure) {
            try resume(live)
        } catch {
            batch.effects.record(EffectRecord(.refused).with("reason", error.summary))
        }
        appendEffectRecord(live)
    }

    private mutating func resume(_ live: LiveEffects) throws(Failure) {
        let place = live.place
        let stored = instances.residents[place].stored
        guard !stored.isDone, let definition = catalogue.definition(of: stored) else { return }
        try restoreMachine(at: place)
        guard let machine = instances.residents[place].machine else { return }
        scratch.removeAll()
        do throws(StepFailure) {
            try definition.machine.resume(machine, into: &scratch)
        } catch {
            throw Failure(error, state: stored.state, event: [])
        }
        try checkEffects(
            beside: instances.residents[place].stored.effectCount, bytes: live.effects.bytes)
        storeClosures(at: place)
        start(scratch.effects, in: live, isFinal: false)
    }
}
