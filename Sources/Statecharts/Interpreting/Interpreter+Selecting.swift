import CEL

/// Selecting transitions (SCXML appendix D, `selectTransitions`, `selectEventlessTransitions` and
/// `removeConflictingTransitions`).
extension Interpreter {
    /// The transitions that an event enables, without conflicts.
    mutating func selectTransitions(_ event: ChartEvent) throws(ChartFailure) -> [Int32] {
        if let timer = event.timer { return try selectTransitions(timer) }
        let matched = chart.descriptors.match(event.type)
        return try select { (interpreter, node) throws(ChartFailure) -> Int32? in
            var previous: Int32 = -1
            while let next = interpreter.chart.states[Int(node)].on.next(after: previous, matched) {
                if try interpreter.isEnabled(next) { return next }
                previous = next
            }
            return nil
        }
    }

    /// The transition of a timer that has fired: the first one whose guard is true.
    private mutating func selectTransitions(
        _ timer: ChartEvent.TimerID
    ) throws(ChartFailure) -> [Int32] {
        guard state.isActive(timer.state) else { return [] }
        let timers = chart.states[Int(timer.state)].timers
        guard timers.indices.contains(Int(timer.position)) else { return [] }
        for transition in timers[Int(timer.position)].transitions
        where try isEnabled(transition) {
            return [transition]
        }
        return []
    }

    /// The transitions without an event that are enabled, without conflicts.
    mutating func selectEventless() throws(ChartFailure) -> [Int32] {
        guard chart.hasEventless else { return [] }
        return try select { (interpreter, node) throws(ChartFailure) -> Int32? in
            guard !interpreter.chart.states[Int(node)].always.isEmpty else { return nil }
            for transition in interpreter.chart.states[Int(node)].always
            where try interpreter.isEnabled(transition) {
                return transition
            }
            return nil
        }
    }

    /// For each active atomic state in document order, the first transition of the state or of the
    /// nearest ancestor that has one. An ancestor of several is asked once.
    private mutating func select(
        _ first: (inout Interpreter, Int32) throws(ChartFailure) -> Int32?
    ) throws(ChartFailure) -> [Int32] {
        var selected: [Int32] = []
        var asked: Set<Int32> = []
        try count(visits: state.configuration.count)
        let hasRegions = chart.hasRegions
        for active in state.configuration where chart.states[Int(active)].isAtomic {
            var node = active
            while node >= 0 {
                // An atomic state is visited once anyway.
                if hasRegions, node != active, !asked.insert(node).inserted { break }
                if let transition = try first(&self, node) {
                    selected.append(transition)
                    break
                }
                node = chart.states[Int(node)].parent
            }
        }
        return selected.count > 1 ? try withoutConflicts(selected) : selected
    }

    /// Of two transitions that leave a common state, the one with the inner source wins, otherwise
    /// the first in document order of the atomic states (SCXML appendix D,
    /// `removeConflictingTransitions`).
    private mutating func withoutConflicts(
        _ enabled: [Int32]
    ) throws(ChartFailure) -> [Int32] {
        guard haveConflicts(enabled) else { return enabled }
        var filtered: [(transition: Int32, domain: Int32)] = []
        for transition in enabled {
            let source = chart.transitions[Int(transition)].source
            let domain = domain(of: transition)
            try count(visits: filtered.count)
            var isPreempted = false
            var removed: [Int32] = []
            for other in filtered where doConflict(domain, other.domain) {
                let otherSource = chart.transitions[Int(other.transition)].source
                if chart.states.isDescendant(source, of: otherSource) {
                    removed.append(other.transition)
                } else {
                    isPreempted = true
                    break
                }
            }
            guard !isPreempted else { continue }
            filtered.removeAll { removed.contains($0.transition) }
            filtered.append((transition, domain))
        }
        return filtered.map(\.transition)
    }

    /// Whether the exit sets of any two transitions have a state in common. Sorted by the numbers
    /// of their domains, those of neighbors would overlap.
    private func haveConflicts(_ enabled: [Int32]) -> Bool {
        var domains: [Int32] = []
        for transition in enabled {
            let domain = domain(of: transition)
            if domain != Transition.noDomain { domains.append(domain) }
        }
        domains.sort()
        for (one, next) in zip(domains, domains.dropFirst())
        where one < 0 || next <= chart.states[Int(one)].last {
            return true
        }
        return false
    }

    /// Whether the exit sets of two transitions have a state in common. A domain is active and has
    /// active descendants, so this is a question of the domains alone.
    private func doConflict(_ one: Int32, _ other: Int32) -> Bool {
        guard one != Transition.noDomain, other != Transition.noDomain else { return false }
        return one == other || chart.states.isDescendant(one, of: other)
            || chart.states.isDescendant(other, of: one)
    }

    /// The state whose active descendants a transition leaves.
    func domain(of index: Int32) -> Int32 {
        guard chart.transitions[Int(index)].targetsHistory else {
            return chart.transitions[Int(index)].domain
        }
        var targets: [Int32] = []
        for target in chart.transitions[Int(index)].targets { addEffective(target, to: &targets) }
        return chart.states.domain(of: chart.transitions[Int(index)], targets: targets)
    }

    /// SCXML appendix D, `getEffectiveTargetStates`: history states are replaced by the states that
    /// they stand for.
    func addEffective(_ target: Int32, to targets: inout [Int32]) {
        guard chart.states[Int(target)].isHistory else {
            if !targets.contains(target) { targets.append(target) }
            return
        }
        if let recorded = state.recorded(by: target) {
            for state in recorded where !targets.contains(state) { targets.append(state) }
        } else {
            for state in chart.states[Int(target)].initial.targets {
                addEffective(state, to: &targets)
            }
        }
    }

    /// Whether a transition's guard is true.
    mutating func isEnabled(_ transition: Int32) throws(ChartFailure) -> Bool {
        guard let condition = chart.transitions[Int(transition)].condition else { return true }
        return try isTrue(condition)
    }

    /// SCXML 5.9.1: a condition that fails is false and raises `error.execution`.
    mutating func isTrue(_ condition: ChartExpression) throws(ChartFailure) -> Bool {
        do throws(ChartFailure) {
            let value = try evaluate(condition)
            guard case .bool(let isTrue) = value else {
                throw ChartFailure(
                    .evalError, "a guard must be bool, and is \(value.type.name)",
                    at: condition.path)
            }
            return isTrue
        } catch {
            try absorb(error)
            return false
        }
    }
}
