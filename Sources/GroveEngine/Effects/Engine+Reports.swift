import OrderedJSON
import Transducers

// The reports of handlers, which are received like requests.

extension Engine {
    /// Applies the reports of handlers, in order. A report of an attempt that isn't current any
    /// more changes nothing.
    ///
    /// - Throws: when the store can't be read at all; the process must end.
    public mutating func receive(
        _ reports: [EffectReport], at now: Timestamp, store: any Store
    ) throws(StoreError) {
        let turn = Turn(now: now, store: store)
        // Those that wait for room on the disk come first.
        guard schedule.deferred.isEmpty else {
            schedule.deferred += reports
            return
        }
        for next in -2...0 { lookAhead(from: next, in: reports) }
        for (index, report) in reports.enumerated() {
            lookAhead(from: index + 1, in: reports)
            if let failure = storage.failure { throw failure }
            batch.effects.reports.append(report)
            let wasApplied = apply(report, in: turn)
            if let answer = report.answer { batch.effects.answers.append((answer, wasApplied)) }
        }
        if let failure = storage.failure { throw failure }
    }

    private mutating func apply(_ report: EffectReport, in turn: Turn) -> Bool {
        guard schedule.handlerQueues.attempt(of: report.ref) == report.attempt else {
            return false
        }
        if report.isLast { batch.effects.finished.append(report.ref) }
        let outer = witness(report.owner, effectNumber: report.ref.number)
        defer { unwitness(outer) }
        do throws(Failure) {
            guard case .resident(let place) = try find(report.owner, in: turn),
                instances.residents[place].stored.number == report.ref.instance
            else { return false }
            try readEffects(at: place, in: turn)
            let live = liveEffects(at: place, in: turn)
            guard let row = live[report.ref.number], row.body.phase == .active,
                row.body.failures + 1 == report.attempt
            else {
                recordStale(report, in: live)
                return false
            }
            return apply(report, to: row, in: live)
        } catch {
            // The instance can't be read: its effect stays, and has another attempt when it can.
            return false
        }
    }

    private mutating func apply(
        _ report: EffectReport, to row: StoredEffect, in live: LiveEffects
    ) -> Bool {
        switch report.outcome {
        case .emitted(let value, let number):
            return emit(value, number, of: row, in: live)
        case .completed(let value):
            complete(row, in: live, result: value)
        case .failed(let reason, let isPermanent):
            fail(row, in: live, reason: reason, isPermanent: isPermanent, pause: report.pause)
        case .cancelled:
            // The engine didn't cancel it: the server stops, and the next start dispatches it.
            schedule.handlerQueues.addBacklog(of: report.ref)
        }
        return true
    }

    private mutating func emit(
        _ value: JSONValue, _ number: Int, of row: StoredEffect, in live: LiveEffects
    ) -> Bool {
        guard number == row.body.delivered + 1 else { return number <= row.body.delivered }
        let instance = instances.residents[live.place].stored.name
        guard holds.holding(instance) == nil else {
            // The handler runs again, from this result on, after the hold.
            batch.effects.cancellations.append(row.ref)
            return false
        }
        guard let run = row.body.run,
            let definition = catalogue.definition(of: instances.residents[live.place].stored)
        else {
            return false
        }
        let reason: String
        do throws(StepFailure) {
            let event = try Self.event(of: value, emittedBy: row, run, definition)
            var row = row
            row.body.delivered = number
            live.effects.put(row)
            batch.effects.record(
                EffectRecord(.emitted, row).with("number", Int64(number)))
            let failure = withCause(of: row) { $0.apply(event, of: row, in: live) }
            guard let failure, failure.isOfMachine else { return true }
            reason = "its result can't be applied: \(failure.summary)"
        } catch {
            reason = error.reason
        }
        batch.effects.cancellations.append(row.ref)
        fail(live[row.ref.number] ?? row, in: live, reason: reason)
        return false
    }

    private static func event(
        of value: JSONValue, emittedBy row: StoredEffect, _ run: HostedRun,
        _ definition: Definition
    ) throws(StepFailure) -> (any HostedEvent)? {
        if row.body.isFinal { return nil }
        guard row.closureToken != nil else {
            return try definition.machine.event(ofResult: value, key: run.key, then: run.then)
        }
        do throws(EventError) {
            return try definition.machine.decodeEvent(value)
        } catch {
            throw .evaluation("the closure's event can't be read: \(error.message)")
        }
    }

    private mutating func recordStale(_ report: EffectReport, in live: LiveEffects) {
        guard report.isLast else { return }
        if case .cancelled = report.outcome { return }
        batch.effects.record(
            EffectRecord(.stale).with("effect", report.ref.number)
                .with("name", report.handler))
        appendEffectRecord(live)
    }

    /// Keeps the reports of a lost batch until there may be room on the disk.
    mutating func deferReports(at now: Timestamp) {
        schedule.deferred = batch.effects.reports + schedule.deferred
        schedule.notBefore = now.advanced(by: Limits.fullDiskPauseMilliseconds)
        schedule.handlerQueues.addBacklog(Self.closureQueue)
        schedule.restoreLost(of: batch.effects)
        schedule.isDueStale = true
    }
}
