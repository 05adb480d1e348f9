import OrderedJSON
import Transducers

// Sequences: rows without work of their own, which begin one part when the one before has ended.

extension Engine {
    mutating func beginSequence(
        _ parts: [HostedEffect], at place: InstanceTable.Place, parent: Int64?, isFinal: Bool,
        _ now: Timestamp
    ) {
        guard !parts.isEmpty else { return }
        let effects = effects(at: place)
        let owner = instances.residents[place].stored.name.text
        var row = StoredEffect(
            ref: effects.ref(effects.ledger.takeNumber()),
            body: StoredEffect.Body(owner: owner, phase: .sequence, run: nil, asked: now))
        row.body.rest = Self.grouped(parts)
        row.body.parent = parent
        // A group of a compensation's parts goes on as that does.
        row.body.goesOn = parent.flatMap { effects[$0]?.body.goesOn } ?? false
        row.body.isFinal = isFinal
        row.body.request = batch.cause.request ?? parent.flatMap { effects[$0]?.body.request }
        effects.add(row)
        began(partOf: parent, effects)
        joined(row.ref, parent: parent.map(effects.ref))
        advance(row.ref.number, effects, at: place, now)
    }

    /// Begins what comes next in a sequence of which nothing is under way; ends it after the last
    /// part, or the first that ended badly.
    mutating func advance(
        _ run: Int64, _ effects: InstanceEffects, at place: InstanceTable.Place, _ now: Timestamp
    ) {
        while var row = effects[run], row.body.outstanding == 0 {
            row.due = nil
            guard !row.body.isBroken || row.body.goesOn, var rest = row.body.rest, !rest.isEmpty
            else {
                effects.remove(run)
                let isBroken = row.body.isBroken
                ended(
                    partOf: row.body.parent, effects, isWell: !isBroken,
                    isCancelled: isBroken && !row.body.goesOn, now)
                settled(row, .completed)
                return
            }
            let next = rest.removeFirst()
            row.body.rest = rest
            effects.put(row)
            carryOut([next], at: place, parent: run, isFinal: row.body.isFinal, now)
        }
    }

    /// The parts of a sequence in groups, if they are many, which are sequences in their turn: each
    /// step of a sequence writes its row anew, with all that is still to come.
    static func grouped(_ parts: [HostedEffect]) -> [HostedEffect] {
        let max = Limits.sequencePartsPerRow
        guard parts.count > max else { return parts }
        let size = Swift.max(max, (parts.count + max - 1) / max)
        return stride(from: 0, to: parts.count, by: size).map { begin in
            .sequence(Array(parts[begin..<min(begin + size, parts.count)]))
        }
    }

    func began(partOf parent: Int64?, _ effects: InstanceEffects) {
        guard let parent, var row = effects[parent] else { return }
        row.body.outstanding += 1
        effects.put(row)
    }

    /// A part of a sequence is over: once all that began together are, its next step is due.
    mutating func ended(
        partOf parent: Int64?, _ effects: InstanceEffects, isWell: Bool,
        isCancelled: Bool = false, _ now: Timestamp
    ) {
        guard let parent, var row = effects[parent] else { return }
        row.body.outstanding -= 1
        if !isWell { row.body.isBroken = true }
        if isCancelled { row.body.goesOn = false }
        if row.body.outstanding == 0 { row.due = now }
        effects.put(row)
        putOnAgenda(row, now)
    }
}
