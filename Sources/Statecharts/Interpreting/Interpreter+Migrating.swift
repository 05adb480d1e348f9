import CEL

/// The change of an instance to another version of its machine.
///
/// No actions run: the instance stays where it is. Active states that the former version didn't
/// have are those that are entered by default; their timers and invocations start. Timers and
/// invocations of states that stay continue.
extension Interpreter {
    /// Makes the state of the new version for an instance that isn't finished.
    ///
    /// - Throws: ``ChartFailure`` `evalError` as ``convert(_:of:by:)``, and if the former state or
    ///   the new one is final.
    mutating func migrate(
        _ former: ChartState, of formerChart: Chart, by migration: ChartMigration
    ) throws(ChartFailure) {
        guard !former.isFinished else { throw Self.refusal("it is finished") }
        try convert(former, of: formerChart, by: migration)
        let final = state.configuration.first {
            chart.states[Int($0)].parent == 0 && chart.states[Int($0)].kind == .final
        }
        if let final {
            throw Self.refusal(
                "'\(chart.states[Int(final)].id)' is a final state: send an event instead")
        }
    }

    /// Makes the state of the new version, also of an instance that is finished.
    ///
    /// - Throws: ``ChartFailure`` `evalError` if a state or a running invocation has no
    ///   counterpart, or an expression fails.
    mutating func convert(
        _ former: ChartState, of formerChart: Chart, by migration: ChartMigration
    ) throws(ChartFailure) {
        try migrateContext(former, migration)
        try migrateStates(former, formerChart, migration)
        migrateHistories(former, formerChart, migration)
        state.deferred = former.deferred
        state.serial = former.serial
        state.isFinished = former.isFinished
        try migrateInvocations(former, formerChart, migration)
        let stayed = Set(
            former.configuration.compactMap {
                chart.counterpart(of: $0, in: formerChart, migration)
            })
        for active in state.configuration where !stayed.contains(active) {
            if !chart.states[Int(active)].timers.isEmpty { try startTimers(of: active) }
            try startInvocations(of: active)
        }
        isChanged = true
        try checkContext()
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
            guard let own = chart.identifiers[formerChart.states[Int(history.state)].id],
                chart.states[Int(own)].isHistory
            else { continue }
            let recorded = history.recorded.compactMap { state in
                chart.counterpart(of: state, in: formerChart, migration)
            }
            let parent = chart.states[Int(own)].parent
            guard recorded.count == history.recorded.count,
                recorded.allSatisfy({ chart.states.isDescendant($0, of: parent) })
            else { continue }
            state.record(recorded.sorted(), by: own)
        }
    }

    private mutating func migrateInvocations(
        _ former: ChartState, _ formerChart: Chart, _ migration: ChartMigration
    ) throws(ChartFailure) {
        for running in former.invocations {
            let plan = formerChart.invocations[Int(running.plan)]
            let own = chart.counterpart(of: plan.state, in: formerChart, migration)
            let number = own.flatMap { own in
                chart.states[Int(own)].invocations.first {
                    chart.invocations[Int($0)].position == plan.position && state.isActive(own)
                }
            }
            guard let number else {
                throw Self.refusal(
                    "its invocation '\(running.id)' runs, and the new version has none in its place"
                )
            }
            state.invocations.append(
                ChartState.Invocation(id: running.id, plan: number, serial: running.serial))
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
