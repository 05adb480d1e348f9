import CEL
import OrderedJSON

/// Finds what is allowed in a definition, and probably isn't meant: unreachable states, transitions
/// that can never win, dead ends, ends that never come, and events that are declared or taken in
/// vain.
struct ChartChecker {
    private let draft: ChartDraft
    /// The types of the events that the machine raises or sends, where they are constant.
    private let sent: Set<String>
    private(set) var warnings: [(path: JSONPath, message: String)] = []

    /// Checks a definition that has no errors.
    init(_ draft: ChartDraft, sent: Set<String>) {
        self.draft = draft
        self.sent = sent
    }

    mutating func check() {
        checkTransitions()
        checkRegions()
        checkCircles()
        let reached = Reachability.all(of: draft)
        checkSends(reached)
        checkInvocations()
        checkReachability(reached)
        checkEnds()
        checkEvents()
    }

    private mutating func warn(_ path: String, _ message: String) {
        warnings.append((JSONPath(path), message))
    }

    // MARK: Transitions

    private mutating func checkTransitions() {
        for state in draft.states {
            checkOrder(of: Set(state.on.entries.map(\.transition)).sorted())
            checkOrder(of: state.always)
            checkEndless(state.always)
            checkLeftAtOnce(state)
            for timer in state.timers { checkOrder(of: timer.transitions) }
        }
    }

    /// A transition without event, guard and target is taken again and again.
    private mutating func checkEndless(_ transitions: [Int32]) {
        for number in transitions {
            let transition = draft.transitions[Int(number)]
            guard transition.condition == nil, transition.targets.isEmpty else { continue }
            warn(transition.path, "this is taken for ever: give it a guard or a target")
        }
    }

    /// A state that is left as soon as it is entered never takes an event, and no timer ends in it.
    private mutating func checkLeftAtOnce(_ state: StateNode) {
        guard let first = state.always.first else { return }
        let leaving = draft.transitions[Int(first)]
        guard leaving.condition == nil, !leaving.targets.isEmpty else { return }
        let others = state.on.entries.map(\.transition) + state.timers.flatMap(\.transitions)
        guard let other = others.min() else { return }
        warn(
            draft.transitions[Int(other)].path,
            "this is never taken: \(leaving.path) has no guard and leaves '\(state.id)' at once")
    }

    /// States that transitions without event and guard lead round in a circle: an event that comes
    /// there always fails.
    private mutating func checkCircles() {
        var isVisited = Array(repeating: false, count: draft.states.count)
        for index in draft.states.indices where !isVisited[index] {
            var way: [Int32] = []
            var current: Int32? = Int32(index)
            while let state = current, !isVisited[Int(state)] {
                isVisited[Int(state)] = true
                way.append(state)
                current = next(of: state)
            }
            guard let current, let start = way.firstIndex(of: current),
                let transition = first(of: current)
            else { continue }
            let circle = (way[start...] + [current]).prefix(ChartLimits.listedNamesMax)
            let names = circle.map { "'\(draft.states[Int($0)].id)'" }.joined(separator: " to ")
            warn(
                transition.path,
                "this goes round for ever, from \(names): give a transition a guard or an event")
        }
    }

    /// The transition that an atomic state takes at once in any case: the first one without an
    /// event, of it or of a state around it, if it has no guard.
    private func first(of state: Int32) -> Transition? {
        var node = draft.states[Int(state)]
        guard node.kind == .atomic else { return nil }
        while node.always.isEmpty {
            guard node.parent >= 0 else { return nil }
            node = draft.states[Int(node.parent)]
        }
        let transition = draft.transitions[Int(node.always[0])]
        return transition.condition == nil ? transition : nil
    }

    /// The atomic state to which that transition leads; nil if regions or histories take part.
    private func next(of state: Int32) -> Int32? {
        var around = draft.states[Int(state)].parent
        while around >= 0 {
            if draft.states[Int(around)].kind == .parallel { return nil }
            around = draft.states[Int(around)].parent
        }
        guard var target = first(of: state)?.targets.first else { return nil }
        while draft.states[Int(target)].kind == .compound {
            guard let inner = draft.states[Int(target)].initial.targets.first else { return nil }
            target = inner
        }
        return draft.states[Int(target)].kind == .atomic ? target : nil
    }

    /// Events that the machine sends itself again and again.
    private mutating func checkSends(_ reached: Reachability) {
        var circles = SendCircles(draft, reached)
        for circle in circles.find() {
            let causes = circle.causes.prefix(ChartLimits.listedNamesMax)
            warn(
                draft.transitions[Int(circle.transition)].path,
                "the machine keeps itself busy, again and again without waiting: "
                    + "\(causes.joined(separator: " leads to ")); give it a delay, or a guard that "
                    + "ends it")
        }
    }

    /// A machine that starts one of its own kind as soon as it is started, which does the same.
    private mutating func checkInvocations() {
        var state: Int32? = 0
        while let index = state {
            let node = draft.states[Int(index)]
            guard node.always.isEmpty else { return }
            for number in node.invocations {
                let plan = draft.invocations[Int(number)]
                guard case .machine(let name) = plan.source, name == draft.name else { continue }
                warn(
                    plan.path,
                    "each of these machines starts another one, without end: start it later, or "
                        + "on a condition")
            }
            state = node.kind == .compound ? node.initial.targets.first : nil
        }
    }

    /// Of transitions in document order, reports those that others without a guard always precede,
    /// and those whose guard is never true.
    private mutating func checkOrder(of transitions: [Int32]) {
        var taken: [String: String] = [:]
        var guarded: [String: String] = [:]
        for number in transitions {
            let transition = draft.transitions[Int(number)]
            let constant = transition.condition?.program?.constant
            if case .bool(false)? = constant {
                warn(transition.path, "the guard is never true")
                continue
            }
            let names = transition.descriptors.isEmpty ? [""] : transition.descriptors
            let covering = names.compactMap { Self.covering($0, taken) }
            if covering.count == names.count, let first = covering.first {
                warn(transition.path, "this can never win: \(first) has no guard and comes first")
                continue
            }
            var isAlways = transition.condition == nil
            if case .bool(true)? = constant { isAlways = true }
            guard isAlways else {
                let text = transition.condition?.text ?? ""
                let cause = (names + [text]).joined(separator: "\n")
                if let first = guarded[cause] {
                    warn(
                        transition.path,
                        "this can never win: \(first) has the same guard and comes first")
                }
                guarded[cause] = guarded[cause] ?? transition.path
                continue
            }
            for name in names where taken[name] == nil { taken[name] = transition.path }
        }
    }

    /// The transition that takes all events of a descriptor.
    private static func covering(_ descriptor: String, _ taken: [String: String]) -> String? {
        if taken.isEmpty { return nil }
        if let found = taken[descriptor] ?? taken["*"] { return found }
        var name = descriptor.hasSuffix(".*") ? descriptor.dropLast(2) : descriptor[...]
        if let found = taken[name + ".*"] { return found }
        while let dot = name.lastIndex(of: ".") {
            name = name[..<dot]
            if let found = taken[name + ".*"] { return found }
        }
        return nil
    }

    /// Reports transitions that another region keeps from being taken.
    private mutating func checkRegions() {
        for (loser, winner, parallel) in RegionConflicts.find(draft) {
            let state = draft.states[Int(parallel)]
            let name = parallel == 0 ? "the machine" : "'\(state.id)'"
            warn(
                draft.transitions[Int(loser)].path,
                "this isn't taken when \(draft.transitions[Int(winner)].path) is, in another "
                    + "region: one of them leaves \(name). Give them guards, or other events")
        }
    }

    // MARK: Reachability

    private mutating func checkReachability(_ reached: Reachability) {
        for (index, state) in draft.states.enumerated() where state.parent >= 0 {
            if !reached.contains(Int32(index)) {
                guard reached.contains(state.parent), !state.isHistory else { continue }
                warn(state.path, "'\(state.id)' is never entered: no transition leads here")
            } else if isDeadEnd(state) {
                warn(state.path, "'\(state.id)' is a dead end: make it final, or leave it")
            }
        }
    }

    /// Whether nothing can happen in a state: it isn't final, and neither it nor a state around it
    /// has transitions. In a parallel state, other regions may continue.
    private func isDeadEnd(_ state: StateNode) -> Bool {
        guard state.kind == .atomic else { return false }
        var node: StateNode? = state
        while let current = node {
            guard current.kind != .parallel, current.on.isEmpty, current.always.isEmpty,
                current.timers.isEmpty
            else { return false }
            node = current.parent < 0 ? nil : draft.states[Int(current.parent)]
        }
        return true
    }

    // MARK: Ends

    /// Reports transitions for the end of a state that never ends, and of an invocation that isn't
    /// there.
    private mutating func checkEnds() {
        let canEnd = statesThatCanEnd()
        let invocations = invocationIDs()
        for transition in draft.transitions {
            for name in transition.descriptors {
                if let id = Self.rest(of: name, after: "done.state.") {
                    let state = draft.identifiers[id]
                    guard state.map({ !canEnd[Int($0)] }) ?? true else { continue }
                    let reason =
                        state == nil
                        ? "there is no state '\(id)'"
                        : "'\(id)' ends with a final state, and has none"
                    warn(transition.path, "'\(name)' never comes: \(reason)")
                } else if let invocations,
                    let id = Self.rest(of: name, after: "done.invoke.")
                        ?? Self.rest(of: name, after: "error.invoke."),
                    !invocations.contains(id)
                {
                    warn(
                        transition.path, "'\(name)' never comes: no invocation has the id '\(id)'")
                }
            }
        }
    }

    /// For each state, whether it can be done: a compound one with a final child, and a parallel
    /// one with such regions. The children of a state come after it.
    private func statesThatCanEnd() -> [Bool] {
        var canEnd = Array(repeating: false, count: draft.states.count)
        for (index, state) in draft.states.enumerated().reversed() {
            switch state.kind {
            case .compound:
                canEnd[index] = state.children.contains { draft.states[Int($0)].kind == .final }
            case .parallel:
                canEnd[index] = state.children.allSatisfy { canEnd[Int($0)] }
            case .atomic, .final, .shallowHistory, .deepHistory: break
            }
        }
        return canEnd
    }

    /// The ids of all invocations; nil if some are computed.
    private func invocationIDs() -> Set<String>? {
        var ids: Set<String> = []
        for plan in draft.invocations {
            guard let id = plan.fixedID(in: draft.states[Int(plan.state)]) else { return nil }
            ids.insert(id)
        }
        return ids
    }

    /// What follows a prefix, if it isn't a wildcard.
    private static func rest(of name: String, after prefix: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8), !name.hasSuffix("*") else { return nil }
        return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    // MARK: Events

    private mutating func checkEvents() {
        guard !draft.events.isEmpty else { return }
        let declared = draft.events.map(\.name)
        for name in declared where ChartEvent.isReserved(name) {
            warn(
                JSONPath("$").member("events").member(name).text,
                "no event named '\(name)' ever comes: names with '$' are the server's")
        }
        var isTaken: Set<String> = []
        var takesEverything = false
        for transition in draft.transitions {
            for name in transition.descriptors {
                isTaken.insert(name)
                takesEverything = takesEverything || name == "*"
                guard !name.hasSuffix("*"), !name.hasPrefix("done."), !name.hasPrefix("error."),
                    draft.events[name] == nil, !sent.contains(name)
                else { continue }
                let mayHint =
                    warnings.count < ChartLimits.suggestionsMax
                    && declared.count <= ChartLimits.suggestionNamesMax
                let hint = mayHint ? NearName.hint(name, among: declared) : ""
                warn(transition.path, "the event '\(name)' isn't declared in 'events'\(hint)")
            }
        }
        guard !takesEverything else { return }
        for name in declared
        where !ChartEvent.isReserved(name) && !Self.isMatched(name, by: isTaken) {
            warn(
                JSONPath("$").member("events").member(name).text,
                "no transition takes the event '\(name)'")
        }
    }

    private static func isMatched(_ name: String, by descriptors: Set<String>) -> Bool {
        if descriptors.contains(name) || descriptors.contains(name + ".*") { return true }
        var rest = name[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            if descriptors.contains(rest + ".*") { return true }
        }
        return false
    }
}
