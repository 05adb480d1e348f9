import CEL
import OrderedJSON

/// Finds what is allowed in a definition, and probably isn't meant: unreachable states, transitions
/// that can never win, dead ends, and events that are declared or taken in vain.
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
        checkReachability()
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

    /// Of transitions in document order, reports those that others without a guard always precede,
    /// and those whose guard is never true.
    private mutating func checkOrder(of transitions: [Int32]) {
        var taken: [String: String] = [:]
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
            guard isAlways else { continue }
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

    private mutating func checkReachability() {
        var reached = Reachability(draft.states)
        reached.enter(0)
        while let index = reached.next() {
            let state = draft.states[Int(index)]
            let outgoing =
                state.on.entries.map(\.transition) + state.always
                + state.timers.flatMap(\.transitions)
            for transition in outgoing {
                for target in draft.transitions[Int(transition)].targets { reached.enter(target) }
            }
        }
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
