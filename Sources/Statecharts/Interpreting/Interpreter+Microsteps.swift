import CEL

/// Microsteps (SCXML appendix D, `microstep`, `exitStates`, `executeTransitionContent` and
/// `enterStates`).
extension Interpreter {
    /// Takes transitions that don't conflict: exits, then all actions, then entries.
    mutating func microstep(_ transitions: [Int32]) throws(ChartFailure) {
        microsteps += 1
        guard microsteps <= ChartLimits.microstepsMax else {
            throw ChartFailure(
                .stepLimit, "an event may cause \(ChartLimits.microstepsMax) microsteps",
                at: chart.transitions[Int(transitions[0])].path)
        }
        isChanged = true
        if transitions.count == 1, domain(of: transitions[0]) == Transition.noDomain {
            try runWithoutExits(transitions[0])
            return
        }
        // The entry set depends on histories, which the exits record; domains don't change.
        var domains: [Int32] = []
        for transition in transitions { domains.append(domain(of: transition)) }
        try exitStates(domains)
        for transition in transitions where !chart.transitions[Int(transition)].actions.isEmpty {
            try run(chart.transitions[Int(transition)].actions)
        }
        var set = EntrySet()
        for index in transitions.indices where domains[index] != Transition.noDomain {
            addTargets(of: transitions[index], domain: domains[index], &set)
        }
        if !set.states.isEmpty { try enter(set) }
    }

    /// Takes a transition that leaves and enters nothing; it counts as others do.
    private mutating func runWithoutExits(_ transition: Int32) throws(ChartFailure) {
        try count(visits: state.configuration.count + 1)
        if !chart.transitions[Int(transition)].actions.isEmpty {
            try run(chart.transitions[Int(transition)].actions)
        }
    }

    // MARK: Exits

    /// Leaves the active descendants of the domains, in reverse document order.
    private mutating func exitStates(_ domains: [Int32]) throws(ChartFailure) {
        try count(visits: state.configuration.count + domains.count)
        var leaving: [Int32] = []
        // Without conflicts the domains are separate ranges, and both lists are sorted.
        let sorted = domains.count > 1 ? domains.sorted() : domains
        var next = sorted.firstIndex { $0 != Transition.noDomain } ?? sorted.count
        for active in state.configuration {
            while next < sorted.count, isAfter(active, sorted[next]) { next += 1 }
            guard next < sorted.count else { break }
            if chart.states.isDescendant(active, of: sorted[next]) { leaving.append(active) }
        }
        for index in leaving where !chart.states[Int(index)].histories.isEmpty {
            try count(
                visits: state.configuration.count * chart.states[Int(index)].histories.count)
            try record(index)
        }
        for index in leaving.reversed() {
            if !statesToInvoke.isEmpty { statesToInvoke.removeAll { $0 == index } }
            try leave(index)
            state.deactivate(index)
        }
    }

    /// Whether a state comes after all descendants of a domain.
    private func isAfter(_ active: Int32, _ domain: Int32) -> Bool {
        domain >= 0 && active > chart.states[Int(domain)].last
    }

    /// Records the active states for the history states of a state that is left.
    private mutating func record(_ index: Int32) throws(ChartFailure) {
        for history in chart.states[Int(index)].histories {
            let isDeep = chart.states[Int(history)].kind == .deepHistory
            let states = state.configuration.filter { active in
                isDeep
                    ? chart.states[Int(active)].isAtomic
                        && chart.states.isDescendant(active, of: index)
                    : chart.states[Int(active)].parent == index
            }
            state.record(states, by: history)
        }
        let remembered = state.histories.reduce(0) { $0 + $1.recorded.count }
        guard remembered <= ChartLimits.rememberedMax else {
            throw ChartFailure(
                .evalLimit,
                "the histories of an instance may remember \(ChartLimits.rememberedMax) states")
        }
    }

    /// Runs the exit actions of a state, and ends its invocations and timers.
    mutating func leave(_ index: Int32) throws(ChartFailure) {
        if !chart.states[Int(index)].exit.isEmpty {
            for block in chart.states[Int(index)].exit { try run(block) }
        }
        if !chart.states[Int(index)].invocations.isEmpty { stopInvocations(of: index) }
        if !chart.states[Int(index)].timers.isEmpty { requests.append(.cancelTimers(state: index)) }
    }

    // MARK: Entry sets

    private func addTargets(of index: Int32, domain: Int32, _ set: inout EntrySet) {
        let targets = chart.transitions[Int(index)].targets
        for target in targets { addDescendants(target, &set) }
        guard chart.transitions[Int(index)].targetsHistory else {
            for target in targets { addAncestors(of: target, below: domain, &set) }
            return
        }
        var effective: [Int32] = []
        for target in targets { addEffective(target, to: &effective) }
        for target in effective { addAncestors(of: target, below: domain, &set) }
    }

    /// SCXML appendix D, `addDescendantStatesToEnter`. The recursion goes down the tree.
    func addDescendants(_ index: Int32, _ set: inout EntrySet) {
        switch chart.states[Int(index)].kind {
        case .shallowHistory, .deepHistory: addHistory(index, &set)
        case .compound: addInitial(index, &set)
        case .parallel:
            set.insert(index)
            if !chart.states[Int(index)].initial.targets.isEmpty { addInitial(index, &set) }
            addRegions(of: index, &set)
        case .atomic, .final: set.insert(index)
        }
    }

    private func addInitial(_ index: Int32, _ set: inout EntrySet) {
        set.insert(index)
        set.insertDefault(index)
        let targets = chart.states[Int(index)].initial.targets
        for target in targets { addDescendants(target, &set) }
        for target in targets { addAncestors(of: target, below: index, &set) }
    }

    private func addHistory(_ index: Int32, _ set: inout EntrySet) {
        let parent = chart.states[Int(index)].parent
        let targets: [Int32]
        if let recorded = state.recorded(by: index) {
            targets = recorded
        } else {
            set.setHistory(index, of: parent)
            targets = chart.states[Int(index)].initial.targets
        }
        for target in targets { addDescendants(target, &set) }
        for target in targets { addAncestors(of: target, below: parent, &set) }
    }

    /// SCXML appendix D, `addAncestorStatesToEnter`.
    func addAncestors(of index: Int32, below ancestor: Int32, _ set: inout EntrySet) {
        var node = chart.states[Int(index)].parent
        while node >= 0, node != ancestor {
            set.insert(node)
            if chart.states[Int(node)].kind == .parallel { addRegions(of: node, &set) }
            node = chart.states[Int(node)].parent
        }
    }

    /// Adds the regions of a parallel state in which nothing is entered yet.
    private func addRegions(of index: Int32, _ set: inout EntrySet) {
        for child in chart.states[Int(index)].children
        where !set.contains(anyOf: child...chart.states[Int(child)].last) {
            addDescendants(child, &set)
        }
    }

    // MARK: Entries

    /// Enters states in document order. An instance that is started enters the machine itself.
    mutating func enter(_ set: EntrySet) throws(ChartFailure) {
        try count(visits: set.states.count)
        for index in set.states {
            state.activate(index)
            if environment.listsEntered { entered.append(index) }
            let number = Int(index)
            if !chart.states[number].invocations.isEmpty { addToInvoke(index) }
            if !chart.states[number].entry.isEmpty {
                for block in chart.states[number].entry { try run(block) }
            }
            if !chart.states[number].initial.actions.isEmpty, set.byDefault.contains(index) {
                try run(chart.states[number].initial.actions)
            }
            for taken in set.histories where taken.parent == index {
                try run(chart.states[Int(taken.history)].initial.actions)
            }
            if !chart.states[number].timers.isEmpty { try startTimers(of: index) }
            if chart.states[number].kind == .final { try enterFinal(chart.states[number]) }
        }
    }

    private mutating func addToInvoke(_ index: Int32) {
        statesToInvoke.insert(index, at: statesToInvoke.position(of: index))
    }

    mutating func startTimers(of index: Int32) throws(ChartFailure) {
        for position in chart.states[Int(index)].timers.indices {
            try startTimer(ChartEvent.TimerID(state: index, position: Int32(position)))
        }
    }

    mutating func startTimer(_ id: ChartEvent.TimerID) throws(ChartFailure) {
        let timer = chart.states[Int(id.state)].timers[Int(id.position)]
        do throws(ChartFailure) {
            let milliseconds = try delay(timer.delay, at: timer.path)
            requests.append(.startTimer(id, milliseconds: milliseconds))
        } catch {
            try absorb(error)
        }
    }

    /// SCXML 3.7: done events of a final state. A final state of the machine ends it.
    private mutating func enterFinal(_ node: StateNode) throws(ChartFailure) {
        let value = try finalOutput(node)
        let parent = chart.states[Int(node.parent)]
        guard node.parent != 0 else {
            isRunning = false
            output =
                try chart.output.map { template throws(ChartFailure) in
                    try outputValue(template)
                } ?? value
            return
        }
        try raise(.platform("done.state.\(parent.id)", "output", value))
        // A parallel state may be a region of another one, which is done with its last region.
        var outer = parent.parent
        while outer >= 0, chart.states[Int(outer)].kind == .parallel {
            try count(visits: chart.states[Int(outer)].children.count)
            guard chart.states[Int(outer)].children.allSatisfy({ isInFinalState($0) }) else {
                return
            }
            guard outer != 0 else {
                isRunning = false
                if let template = chart.output { output = try outputValue(template) }
                return
            }
            let id = chart.states[Int(outer)].id
            try raise(.platform("done.state.\(id)", "output", .null))
            outer = chart.states[Int(outer)].parent
        }
    }

    /// SCXML appendix D, `isInFinalState`.
    private func isInFinalState(_ index: Int32) -> Bool {
        let node = chart.states[Int(index)]
        switch node.kind {
        case .compound:
            return node.children.contains {
                chart.states[Int($0)].kind == .final && state.isActive($0)
            }
        case .parallel: return node.children.allSatisfy { isInFinalState($0) }
        default: return false
        }
    }

    private mutating func finalOutput(_ node: StateNode) throws(ChartFailure) -> CELValue {
        guard let template = node.output else { return .null }
        return try outputValue(template)
    }

    /// SCXML 5.5: a member that fails is left out, and raises `error.execution` where failures are
    /// events. With none left, the output is null.
    private mutating func outputValue(_ template: Template) throws(ChartFailure) -> CELValue {
        guard case .map(let members) = template else {
            return try attempt(template) ?? .null
        }
        var map = CELMap()
        for member in members {
            if let value = try attempt(member.value) { map[member.key] = value }
        }
        return map.isEmpty && !members.isEmpty ? .null : .map(map)
    }

    private mutating func attempt(_ template: Template) throws(ChartFailure) -> CELValue? {
        do throws(ChartFailure) {
            return try value(template)
        } catch {
            guard error.isRecoverable else { throw error }
            if isLenient { try absorb(error) }
            return nil
        }
    }
}
