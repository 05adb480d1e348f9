import OrderedJSON
import Transducers

extension Operation {
    /// `cancel`: the choice among the effects of an instance.
    public enum CancelChoice: Sendable, Equatable {
        /// The effect with this number.
        case effect(Int64)
        /// The effects with this id, scopes and slashes before it.
        case id(String)
        /// The timers with this id.
        case timer(String)
        /// The effects that follow from the event with this dedup key.
        case request([UInt8])
    }
}

extension Engine {
    /// `cancel`: cancels exactly the chosen effects of an instance, in any phase.
    mutating func cancel(_ name: InstanceName, _ choice: Operation.CancelChoice, in turn: Turn)
        -> Reply
    {
        do throws(Failure) {
            let (place, effects) = try liveEffects(of: name, in: turn)
            let meant = choice.candidates(among: effects).filter { choice.includes($0) }
            guard !meant.isEmpty else {
                return .cancelled([], cursor: Cursor(sequence: head))
            }
            for row in meant where row.body.phase == .failed || row.body.phase == .completed {
                effects.remove(row.ref.number)
                batch.effects.note(EffectRecord(.cancelled, row).bytes)
            }
            cancel(runs: meant.map(\.ref.number), effects, at: place, turn.now)
            record(at: place, turn.now)
            return .cancelled(meant.map(\.ref.number), cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }
}

extension Operation.CancelChoice {
    /// The candidates, in the order of their runs. A number or a name has few.
    fileprivate func candidates(among effects: InstanceEffects) -> [StoredEffect] {
        switch self {
        case .effect(let number): [effects[number]].compactMap { $0 }
        case .id(let name), .timer(let name):
            effects.runs(named: name).compactMap { effects[$0] }
        case .request: Array(effects.sorted)
        }
    }

    /// Whether the choice includes an effect.
    fileprivate func includes(_ row: StoredEffect) -> Bool {
        guard let run = row.body.run, row.body.phase != .stopping else { return false }
        switch self {
        case .effect(let number): return row.ref.number == number
        case .id(let id): return run.key.text == id
        case .timer(let id):
            if case .after = run.work { return run.key.text == id }
            return false
        case .request(let key):
            return row.body.request.map { Array($0.utf8) == key } ?? false
        }
    }
}
