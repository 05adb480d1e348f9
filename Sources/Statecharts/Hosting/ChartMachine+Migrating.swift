import CEL
import OrderedJSON
import Transducers

// Another version of the machine for an instance.
extension ChartMachine {
    func migrate(
        _ identity: InstanceIdentity, state: [UInt8], of former: any HostedMachine,
        plan: JSONValue?, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> any HostedInstance {
        guard let former = former as? ChartMachine, definition == nil else {
            throw .evaluation("only an instance of a statechart can be migrated to another one")
        }
        let migration = try migration(plan)
        let old: ChartState
        var interpreter: Interpreter
        let work: MigratedWork
        do throws(ChartFailure) {
            old = try former.chart.restore(Self.json(ofState: state))
            interpreter = Interpreter(
                chart, ChartState(), ChartInstance.environment(of: identity, in: context))
            work = try interpreter.migrate(old, of: former.chart, by: migration)
        } catch {
            throw StepFailure(error, accepts: [])
        }
        // What ends first, so that no name is taken.
        for timer in work.timers where timer.own == nil {
            let name = EffectName.timer(timer.former, of: former.chart)
            try step.add(.cancel(HostedSelector(.id(name))))
        }
        let ids = Dictionary(old.invocations.map { ($0.serial, $0.id) }) { first, _ in first }
        let renames =
            work.timers.compactMap { rename(of: $0.former, $0.own, former.chart) }
            + interpreter.state.invocations.compactMap { rename(of: $0, from: ids[$0.serial]) }
        if !renames.isEmpty { try step.add(.rename(renames)) }
        try write(
            interpreter.requests, isFinished: false, interpreter.environment, into: &step)
        try step.check(context.limits)
        try write(interpreter.state, into: &step)
        guard step.state.bytes.count <= context.limits.stateBytes else {
            throw .stateTooLarge(step.state.bytes.count, max: context.limits.stateBytes)
        }
        return ChartInstance(self, identity, interpreter.state)
    }

    func unknownStates(in plan: JSONValue) -> [String] {
        (plan["states"]?.object ?? JSONObject()).map(\.name).filter {
            chart.identifiers[$0] == nil
        }
    }

    /// The instance that a migration by the definition's own plan would make.
    func counterpart(
        _ identity: InstanceIdentity, state: [UInt8], from version: String,
        of former: (any HostedMachine)?, in context: StepContext
    ) throws(StepFailure) -> any HostedInstance {
        guard let former = former as? ChartMachine, former !== self, definition == nil else {
            return try restoreInstance(identity, state: state, from: version)
        }
        do throws(ChartFailure) {
            let old = try former.chart.restore(Self.json(ofState: state))
            var interpreter = Interpreter(
                chart, ChartState(), ChartInstance.environment(of: identity, in: context))
            try interpreter.convert(old, of: former.chart, by: chart.migration ?? .same)
            return ChartInstance(self, identity, interpreter.state)
        } catch {
            throw StepFailure(error, accepts: [])
        }
    }

    /// Renames the state of a timer as the definition's own plan does.
    func migrate(event: JSONValue) throws(EventError) -> JSONValue {
        guard var object = event.object, var meta = object[ChartEvent.metaName]?.object,
            meta["timer"] != nil, let state = meta["state"]?.string,
            let own = chart.migration?.states[state]
        else { return event }
        meta["state"] = .string(own)
        object[ChartEvent.metaName] = .object(meta)
        return .object(object)
    }

    /// The other name of a timer that continues; nil if it keeps its name.
    private func rename(
        of timer: ChartEvent.TimerID, _ own: ChartEvent.TimerID?, _ former: Chart
    ) -> HostedRename? {
        guard let own else { return nil }
        let (from, to) = (EffectName.timer(timer, of: former), EffectName.timer(own, of: chart))
        guard from != to else { return nil }
        return HostedRename(
            from: HostedKey(id: from), to: HostedKey(id: to),
            event: StoredTimer(own, of: chart).json)
    }

    /// The other name of an invocation that continues; nil if it keeps its name.
    private func rename(of own: ChartState.Invocation, from id: String?) -> HostedRename? {
        guard let id, id != own.id else { return nil }
        return HostedRename(
            from: HostedKey(id: EffectName.invocation(id, own.serial)),
            to: HostedKey(id: EffectName.invocation(own.id, own.serial)))
    }

    /// The given migration, or the definition's own, or none.
    private func migration(_ plan: JSONValue?) throws(StepFailure) -> ChartMigration {
        guard let plan else { return chart.migration ?? .same }
        do throws(ChartProblems) {
            return try ChartMigration(plan)
        } catch {
            let first = error.errors.first?.description ?? "it can't be read"
            throw .evaluation("the migration can't be used: \(first)")
        }
    }
}
