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
        do throws(ChartFailure) {
            old = try former.chart.restore(Self.json(ofState: state))
            interpreter = Interpreter(
                chart, ChartState(), ChartInstance.environment(of: identity, in: context))
            try interpreter.migrate(old, of: former.chart, by: migration)
        } catch {
            throw StepFailure(error, accepts: [])
        }
        // A timer that runs continues if its state stays under its name.
        for active in old.configuration {
            let node = former.chart.states[Int(active)]
            let own = chart.counterpart(of: active, in: former.chart, migration)
            for position in node.timers.indices {
                let isKept =
                    own.map {
                        interpreter.state.isActive($0) && chart.states[Int($0)].id == node.id
                            && position < chart.states[Int($0)].timers.count
                    } ?? false
                guard !isKept else { continue }
                let timer = ChartEvent.TimerID(state: active, position: Int32(position))
                let name = EffectName.timer(timer, of: former.chart)
                try step.add(.cancel(HostedSelector(.id(name))))
            }
        }
        try write(
            interpreter.requests, isFinished: false, interpreter.environment, into: &step)
        try step.check(context.limits)
        try write(interpreter.state, into: &step)
        guard step.state.bytes.count <= context.limits.stateBytes else {
            throw .stateTooLarge(step.state.bytes.count, max: context.limits.stateBytes)
        }
        return ChartInstance(self, identity, interpreter.state)
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
