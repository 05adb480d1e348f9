import GroveEngine

// Searches that continue after damage. They don't detect entries that a damaged one hides, so they
// run only after a strict search has found damage.

extension EffectIndexes {
    /// Returns up to `limit` readable effects that are due, and the damaged ones before them.
    func sound(dueAt now: Timestamp, limit: Int) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        try forEachDue { (ref, due) in
            switch due {
            case .success(let due):
                guard due <= now, found.refs.count < limit else { return false }
                found.refs.append(ref)
                found.due = found.due ?? due
            case .failure: found.damaged.append(ref)
            }
            return found.refs.count < limit
        }
        return found
    }

    /// Returns up to `limit` readable effects after `after` that wait for a handler, and the
    /// damaged ones among them.
    func sound(
        inHandlerQueue lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        guard limit > 0 else { return found }
        try forEach(inHandlerQueue: lane, from: after?.instance) { (ref, isSound) in
            if let after, ref <= after { return true }
            if isSound { found.refs.append(ref) } else { found.damaged.append(ref) }
            return found.refs.count < limit
        }
        return found
    }
}
