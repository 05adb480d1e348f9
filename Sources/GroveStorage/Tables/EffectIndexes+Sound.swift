import GroveEngine

// Searches that go on behind damage. They say less: what a damaged entry leads past is not noticed.
// So they are made only where the strict ones have found damage.

extension EffectIndexes {
    /// Up to `limit` effects that are due and can be read, and those before them that can't.
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

    /// Up to `limit` effects that wait for a handler and can be read, behind `place`, and those
    /// among them that can't.
    func sound(
        inLane lane: String, after place: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        guard limit > 0 else { return found }
        try forEach(inLane: lane, from: place?.number) { (ref, isSound) in
            if let place, ref <= place { return true }
            if isSound { found.refs.append(ref) } else { found.damaged.append(ref) }
            return found.refs.count < limit
        }
        return found
    }
}
