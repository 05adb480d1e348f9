import CEL

/// The change of an instance to another version of its machine.
///
/// No actions run: the instance stays where it is. Active states that the former version didn't
/// have are those that are entered by default; their timers and invocations start. Timers and
/// invocations of states that stay continue if the state still has them, and new ones start.
extension Interpreter {
    /// Makes the state of the new version for an instance that isn't finished. Its requests are
    /// what starts, and what is stopped of invocations.
    ///
    /// - Returns: What continues, and the timers that end.
    /// - Throws: ``ChartFailure`` `evalError` as ``convert(_:of:by:)``, and if the former state or
    ///   the new one is final.
    mutating func migrate(
        _ former: ChartState, of formerChart: Chart, by migration: ChartMigration
    ) throws(ChartFailure) -> MigratedWork {
        guard !former.isFinished else { throw Self.refusal("it is finished") }
        let work = try convert(former, of: formerChart, by: migration)
        let final = state.configuration.first {
            chart.states[Int($0)].parent == 0 && chart.states[Int($0)].kind == .final
        }
        if let final {
            throw Self.refusal(
                "'\(chart.states[Int(final)].id)' is a final state: send an event instead")
        }
        return work
    }

    /// Makes the state of the new version, also of an instance that is finished.
    ///
    /// - Returns: What continues, and the timers that end.
    /// - Throws: ``ChartFailure`` `evalError` if a state has no counterpart, or an expression
    ///   fails.
    @discardableResult
    mutating func convert(
        _ former: ChartState, of formerChart: Chart, by migration: ChartMigration
    ) throws(ChartFailure) -> MigratedWork {
        try migrateContext(former, migration)
        try migrateStates(former, formerChart, migration)
        migrateHistories(former, formerChart, migration)
        state.deferred = former.deferred
        state.serial = former.serial
        state.isFinished = former.isFinished
        let work = MigratedWork(
            former, of: formerChart, to: chart, state.configuration, by: migration)
        try migrateInvocations(former, formerChart, work)
        for active in state.configuration {
            let timers = chart.states[Int(active)].timers.indices.map {
                ChartEvent.TimerID(state: active, position: Int32($0))
            }
            for timer in timers where !work.hasTimer(timer) { try startTimer(timer) }
            for plan in chart.states[Int(active)].invocations where !work.hasPlan(plan) {
                try startOrAbsorb(plan)
            }
        }
        isChanged = true
        try checkContext()
        return work
    }

    private static func refusal(_ message: String) -> ChartFailure {
        ChartFailure(.evalError, "the instance can't be migrated: \(message)")
    }

    private mutating func migrateContext(
        _ former: ChartState, _ migration: ChartMigration
    ) throws(ChartFailure) {
        var input = CELMap()
        for declared in chart.context {
            if let value = former.context[declared.key] { input[declared.key] = value }
        }
        variables[0] = .map(former.context)
        isContextStale = false
        for member in migration.context { input[member.key] = try value(member.value) }
        variables[0] = .null
        isContextStale = true
        try fillContext(input)
        // What loops have made isn't declared, and other expressions read it.
        for member in former.context.entries {
            guard !state.context.contains(member.key),
                chart.contextNames.contains(ContextValue.text(of: member.key))
            else { continue }
            state.context[member.key] = member.value
        }
    }

    private mutating func migrateStates(
        _ former: ChartState, _ formerChart: Chart, _ migration: ChartMigration
    ) throws(ChartFailure) {
        var set = EntrySet()
        var targets: [Int32] = []
        for active in former.configuration where formerChart.states[Int(active)].isAtomic {
            guard let target = chart.counterpart(of: active, in: formerChart, migration) else {
                let name = migration.name(of: formerChart.states[Int(active)].id)
                throw Self.refusal(
                    "the new version has no state '\(name)': name another one in 'states'")
            }
            targets.append(target)
        }
        for target in targets { addDescendants(target, &set) }
        for target in targets { addAncestors(of: target, below: -1, &set) }
        set.insert(0)
        state.configuration = set.states.sorted()
        for active in state.configuration where chart.states[Int(active)].kind == .compound {
            let children = chart.states[Int(active)].children.filter { state.isActive($0) }
            guard children.count == 1 else {
                let names = children.map { "'\(chart.states[Int($0)].id)'" }
                throw Self.refusal(
                    "\(names.joined(separator: " and ")) can't be active together")
            }
        }
    }

    private mutating func migrateHistories(
        _ former: ChartState, _ formerChart: Chart, _ migration: ChartMigration
    ) {
        for history in former.histories {
            let name = migration.name(of: formerChart.states[Int(history.state)].id)
            guard let own = chart.state(named: name), chart.states[Int(own)].isHistory else {
                continue
            }
            let recorded = history.recorded.compactMap { state in
                chart.counterpart(of: state, in: formerChart, migration)
            }.sorted()
            // In the new version they may not be regions any more.
            guard recorded.count == history.recorded.count,
                chart.states.canRemember(recorded, by: own)
            else { continue }
            state.record(recorded, by: own)
        }
    }

    /// Lets running invocations continue, under their ids in the new version, and stops those that
    /// it doesn't have.
    private mutating func migrateInvocations(
        _ former: ChartState, _ formerChart: Chart, _ work: MigratedWork
    ) throws(ChartFailure) {
        for running in former.invocations {
            guard let number = work.plans[running.plan] else {
                requests.append(.stopInvocation(id: running.id, serial: running.serial))
                continue
            }
            let plan = chart.invocations[Int(number)]
            // A computed id stays as it was computed.
            let id = plan.fixedID(in: chart.states[Int(plan.state)]) ?? running.id
            guard !state.invocations.contains(where: { $0.id == id }) else {
                throw Self.refusal("two of its invocations would have the id '\(id)'")
            }
            if id != running.id, case .made(let location) = plan.id {
                try assign(.string(id), to: location, at: plan.path)
            }
            state.invocations.append(
                ChartState.Invocation(id: id, plan: number, serial: running.serial))
        }
    }
}

extension ChartMigration {
    /// The new name of a state.
    fileprivate func name(of state: String) -> String { states[state] ?? state }
}

extension Chart {
    /// The state that stands for one of a former version; nil if there is none.
    func counterpart(
        of state: Int32, in former: Chart, _ migration: ChartMigration
    ) -> Int32? {
        if state == 0 { return 0 }
        let found = self.state(named: migration.name(of: former.states[Int(state)].id))
        return found.flatMap { states[Int($0)].isHistory ? nil : $0 }
    }
}
