import OrderedJSON
import Transducers

// After a commit: the dispatch of effects to handlers.

extension Engine {
    /// Dispatches the effects that handlers start or stop after the commit.
    mutating func releaseEffects(into ready: inout Ready, in turn: Turn) throws(StoreError) {
        // An empty commit shows nothing about the disk.
        if !batch.writes.isEmpty { schedule.notBefore = nil }
        ready.cancellations = batch.effects.cancellations
        ready.answers = batch.effects.answers
        for ref in batch.effects.finished { schedule.handlerQueues.end(ref) }
        ready.dispatches.reserveCapacity(batch.effects.ready.count)
        for (row, owner) in batch.effects.ready {
            guard let queue = row.handlerQueue else { continue }
            if !holds.isEmpty, holds.holding(owner) != nil {
                schedule.handlerQueues.addBacklog(queue)
                continue
            }
            guard batch.writes.effect(row.ref)?.row?.handlerQueue == queue,
                let dispatch = dispatch(row, of: owner),
                schedule.handlerQueues.admit(row.ref, queue: queue, attempt: dispatch.attempt)
            else { continue }
            ready.dispatches.append(dispatch)
        }
        let isDueStale = schedule.isDueStale
        schedule.restoreLost(of: batch.effects)
        batch.effects.removeAll()
        closures.endBatch()
        try findSleepers(in: turn)
        if schedule.handlerQueues.isQuiet {
            schedule.nextRefill = nil
        } else {
            try refill(into: &ready, in: turn)
            schedule.nextRefill = schedule.handlerQueues.wantsRefill ? turn.now : nil
        }
        if isDueStale {
            schedule.nextDue = try nextDue(in: turn)
            // Unreadable effects stay due: the next search is a second later then.
            if !schedule.unreadable.isEmpty, let due = schedule.nextDue {
                schedule.nextDue = max(due, turn.now.advanced(by: 1_000))
            }
            schedule.isDueStale = false
        }
    }

    /// Searches the store for effects that wait for handlers with room.
    private mutating func refill(into ready: inout Ready, in turn: Turn) throws(StoreError) {
        if schedule.handlerQueues.needsListing {
            schedule.handlerQueues.addBacklogs(try handlerQueueNames(in: turn))
        }
        for queue in schedule.handlerQueues.refillable {
            guard let places = schedule.handlerQueues.room(in: queue) else { continue }
            var room = places.room
            let after = places.after
            let limit = room + schedule.handlerQueues.underWay
            let found = try effects(inHandlerQueue: queue, after: after, limit: limit, in: turn)
            var last = after
            var isCutShort = false
            for ref in found where room > 0 {
                let previous = last
                last = ref
                guard schedule.handlerQueues.attempt(of: ref) == nil else { continue }
                guard let row = try readable(ref, in: turn), row.handlerQueue == queue,
                    let owner = InstanceName(row.body.owner), catalogue.isLoaded(owner.machine)
                else { continue }
                if closures.hasLost(row) || holds.holding(owner) != nil {
                    guard schedule.hasRoomForLost else {
                        // A search after the next batches finds it and those after it.
                        (last, isCutShort) = (previous, true)
                        break
                    }
                    schedule.lose(row)
                    continue
                }
                guard let dispatch = dispatch(row, of: owner) else { continue }
                schedule.handlerQueues.begin(ref, queue: queue, attempt: dispatch.attempt)
                ready.dispatches.append(dispatch)
                room -= 1
            }
            if isCutShort, last == after { continue }
            let isAll = room > 0 && found.count < limit && !isCutShort
            schedule.handlerQueues.advanceSearch(
                in: queue, to: isAll ? nil : last, fromStart: after == nil)
        }
        schedule.handlerQueues.markCrowded()
    }

    /// The handler queues that have effects in the store. Skips damaged entries.
    func handlerQueueNames(in turn: Turn) throws(StoreError) -> [String] {
        do throws(StoreError) { return try turn.store.handlerQueues() } catch .corrupt {
            return try turn.store.soundHandlerQueues()
        }
    }

    /// The effects that wait for a handler. Skips damaged ones.
    mutating func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int, in turn: Turn
    ) throws(StoreError) -> [EffectRef] {
        do throws(StoreError) {
            return try turn.store.effects(inHandlerQueue: queue, after: after, limit: limit)
        } catch .corrupt {
            let found = try turn.store.soundEffects(
                inHandlerQueue: queue, after: after, limit: limit)
            schedule.unreadable.formUnion(found.damaged)
            return found.refs
        }
    }

    /// The dispatch of a row that waits for its handler; `nil` if the machine isn't loaded.
    private func dispatch(_ row: StoredEffect, of owner: InstanceName) -> EffectDispatch? {
        guard catalogue.isLoaded(owner.machine), let run = row.body.run else { return nil }
        var dispatch = EffectDispatch(
            ref: row.ref, owner: owner, handler: "", argument: .null,
            attempt: row.body.failures + 1, delivered: row.body.delivered, timeout: run.timeout,
            key: Self.key(of: row.ref, in: row.body.log ?? schedule.log), trace: row.body.trace)
        switch run.work {
        case .perform(let handler, let argument):
            dispatch.handler = handler
            dispatch.argument = argument
        case .closure(let token):
            guard let closure = closures[row.ref.instance, token] else { return nil }
            dispatch.handler = Self.closureQueue
            dispatch.closure = closure
        case .after, .send, .start, .ask, .compensate: return nil
        }
        return dispatch
    }

    /// The idempotency key of an effect: the log in which it began, and its two numbers.
    private static func key(of ref: EffectRef, in log: String) -> String {
        // Not by interpolation, which takes twice as long.
        var text = JSONWriter(capacity: log.utf8.count + 42)
        text.raw(log.utf8)
        text.literal("-")
        text.integer(ref.instance.value)
        text.literal("-")
        text.integer(ref.number)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Reads an effect; `nil` for a damaged one, which is skipped until the next start.
    mutating func readable(_ ref: EffectRef, in turn: Turn) throws(StoreError) -> StoredEffect? {
        do throws(StoreError) {
            return try turn.store.effect(ref)
        } catch .corrupt {
            schedule.unreadable.insert(ref)
            return nil
        }
    }
}
