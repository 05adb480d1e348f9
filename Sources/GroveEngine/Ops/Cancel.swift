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
            let found = try liveEffects(of: name, in: turn)
            let chosen = found.map { choice.candidates(among: $0.effects) } ?? []
            let rows = chosen.filter(choice.includes)
            guard let live = found, !rows.isEmpty else {
                return .cancelled([], cursor: Cursor(sequence: head))
            }
            for row in rows where row.body.phase == .failed || row.body.phase == .completed {
                live.effects.remove(row.ref.number)
                batch.effects.record(EffectRecord(.cancelled, row))
            }
            let numbers = rows.map(\.ref.number)
            cancel(numbers, in: live)
            appendEffectRecord(live)
            return .cancelled(numbers, cursor: Cursor(sequence: head))
        } catch {
            return .failure(error)
        }
    }
}

extension Operation.CancelChoice {
    fileprivate func candidates(among effects: InstanceEffects) -> [StoredEffect] {
        switch self {
        case .effect(let number): [effects[number]].compactMap { $0 }
        case .id(let name), .timer(let name):
            effects.numbers(named: name).compactMap { effects[$0] }
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
