import OrderedJSON
import Transducers

// Sequences: rows without work. Each starts its next part after the one before has ended.

extension Engine {
    mutating func startSequence(
        _ parts: [HostedEffect], in live: LiveEffects, parent: Int64?, isFinal: Bool
    ) {
        guard !parts.isEmpty else { return }
        let number = live.effects.ledger.reserveNumber()
        var row = newRow(number, .sequence, nil, in: live, parent: parent, isFinal: isFinal)
        row.body.rest = Self.grouped(parts)
        // A group of a compensation's parts continues after failures, as the compensation does.
        row.body.goesOn = parent.flatMap { live[$0]?.body.goesOn } ?? false
        add(row, in: live)
        advanceSequence(number, in: live)
    }

    /// Starts the next part of a sequence, if no part runs. Ends it after the last part, or after
    /// the first that failed.
    mutating func advanceSequence(_ number: Int64, in live: LiveEffects) {
        while var row = live[number], row.body.outstanding == 0 {
            row.due = nil
            guard !row.body.isBroken || row.body.goesOn, var rest = row.body.rest, !rest.isEmpty
            else {
                live.effects.remove(number)
                let isBroken = row.body.isBroken
                endPart(
                    of: row.body.parent, in: live, succeeded: !isBroken,
                    isCancelled: isBroken && !row.body.goesOn)
                return resolveWaiters(for: row, .completed)
            }
            let next = rest.removeFirst()
            row.body.rest = rest
            live.effects.put(row)
            start([next], in: live, parent: number, isFinal: row.body.isFinal)
        }
    }

    /// Groups many parts into sequences: each step of a sequence writes its row again, with all
    /// parts that are still to come.
    static func grouped(_ parts: [HostedEffect]) -> [HostedEffect] {
        let max = Limits.sequencePartsPerRow
        guard parts.count > max else { return parts }
        let size = Swift.max(max, (parts.count + max - 1) / max)
        return stride(from: 0, to: parts.count, by: size).map { begin in
            .sequence(Array(parts[begin..<min(begin + size, parts.count)]))
        }
    }

    /// Ends a part of a sequence. After the last of those that run at once, the sequence is due.
    mutating func endPart(
        of parent: Int64?, in live: LiveEffects, succeeded: Bool, isCancelled: Bool = false
    ) {
        guard let parent, var row = live[parent] else { return }
        row.body.outstanding -= 1
        if !succeeded { row.body.isBroken = true }
        if isCancelled { row.body.goesOn = false }
        if row.body.outstanding == 0 { row.due = live.now }
        live.effects.put(row)
        enqueueIfDue(row, at: live.now)
    }
}
