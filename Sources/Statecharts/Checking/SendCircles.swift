import CEL

/// Finds machines that keep themselves busy: a transition that makes the machine take another one
/// at once, as an event of its own, and so round in a circle. Each is a step of its own, so no
/// bound of a step ends it.
///
/// Only what happens in any case is followed: transitions without a guard, in states that can be
/// entered, outside of parallel ones. A circle still ends if an expression in it fails, a timer
/// leaves it, or an event from outside does.
struct SendCircles {
    /// A circle.
    struct Circle {
        /// A transition of it.
        let transition: Int32
        /// What leads to its transitions, in words and in their order; the first one is the last
        /// one, too.
        let causes: [String]
    }

    private let draft: ChartDraft
    private let reached: Reachability
    private var causes: ChartCauses
    /// The descriptors that events match, by their types.
    private var matches: [String: DescriptorTable.Match] = [:]

    init(_ draft: ChartDraft, _ reached: Reachability) {
        self.draft = draft
        self.reached = reached
        causes = ChartCauses(draft)
    }

    /// All circles; of those that lead to each other, some.
    mutating func find() -> [Circle] {
        var outcomes: [Outcome?] = []
        for index in draft.transitions.indices { outcomes.append(outcome(of: Int32(index))) }
        let links = followed(outcomes)
        var isVisited = links.map(\.isEmpty)
        var circles: [Circle] = []
        for index in links.indices where !isVisited[index] {
            var way: [(transition: Int32, cause: String)] = []
            var current = Int32(index)
            while !isVisited[Int(current)], let link = links[Int(current)].first {
                isVisited[Int(current)] = true
                way.append((current, link.cause))
                current = link.transition
            }
            guard let start = way.firstIndex(where: { $0.transition == current }) else { continue }
            // What leads to the first transition is what the last one causes.
            let words = [way[way.count - 1].cause] + way[start...].map(\.cause)
            circles.append(Circle(transition: current, causes: words))
        }
        return circles
    }

    // MARK: From transition to transition

    /// What a transition leads to in any case.
    private struct Outcome {
        struct Link {
            let transition: Int32
            let cause: String
        }

        /// The atomic state in which the machine rests.
        let state: Int32
        var links: [Link] = []
        /// Whether it causes several events, so that another one may come before the next one.
        let isMany: Bool
    }

    /// The links on which a circle may lie, by transition; each leads to one that has such links.
    ///
    /// Where several events wait at a time, each meets the state in which those before it have left
    /// the machine. There, links count only if everything they lead to keeps the state.
    private func followed(_ outcomes: [Outcome?]) -> [[Outcome.Link]] {
        var sources: [[Int32]] = Array(repeating: [], count: outcomes.count)
        var many: [Int32] = []
        var unsteady: [Int32] = []
        for (index, outcome) in outcomes.enumerated() {
            guard let outcome else {
                unsteady.append(Int32(index))
                continue
            }
            if outcome.isMany { many.append(Int32(index)) }
            for link in outcome.links {
                sources[Int(link.transition)].append(Int32(index))
                if outcomes[Int(link.transition)]?.state != outcome.state {
                    unsteady.append(Int32(index))
                }
            }
        }
        let leadsToMany = Self.all(leadingTo: many, sources)
        let leadsToUnsteady = Self.all(leadingTo: unsteady, sources)
        var links = outcomes.enumerated().map { index, outcome in
            leadsToMany[index] && leadsToUnsteady[index] ? [] : outcome?.links ?? []
        }
        var left = links.map(\.count)
        var ends = links.indices.filter { links[$0].isEmpty }
        while let end = ends.popLast() {
            for source in sources[end] where left[Int(source)] > 0 {
                left[Int(source)] -= 1
                if left[Int(source)] == 0 { ends.append(Int(source)) }
            }
        }
        for index in links.indices {
            links[index].removeAll { left[Int($0.transition)] == 0 }
        }
        return links
    }

    /// Whether each transition leads to one of those given, or is one.
    private static func all(leadingTo ends: [Int32], _ sources: [[Int32]]) -> [Bool] {
        var isFound = Array(repeating: false, count: sources.count)
        var found = ends
        while let index = found.popLast() {
            guard !isFound[Int(index)] else { continue }
            isFound[Int(index)] = true
            found += sources[Int(index)]
        }
        return isFound
    }

    // MARK: One transition

    /// What a transition leads to; nil if that depends on more.
    private mutating func outcome(of index: Int32) -> Outcome? {
        guard reached.contains(draft.transitions[Int(index)].source),
            var (state, found) = taken(index, in: nil)
        else { return nil }
        var (count, raised) = (0, found.raised[...])
        while let event = raised.popFirst() {
            count += 1
            guard count <= ChartLimits.causesMax else { return nil }
            switch reaction(to: event, in: state) {
            case .none: continue
            case .unclear: return nil
            case .transition(let next):
                guard let (after, more) = taken(next, in: state) else { return nil }
                state = after
                raised += more.raised
                found.sent += more.sent
                // A timer ends with its state.
                if draft.transitions[Int(next)].domain != Transition.noDomain { found.timers = [] }
                found.timers += more.timers
                guard found.count <= ChartLimits.causesMax else { return nil }
            }
        }
        return outcome(found, in: state)
    }

    private mutating func outcome(_ found: ChartCauses.Causes, in state: Int32) -> Outcome? {
        var result = Outcome(state: state, isMany: found.sent.count + found.timers.count > 1)
        for event in found.sent {
            switch reaction(to: event, in: state) {
            case .none: continue
            case .unclear: return nil
            case .transition(let next):
                result.links.append(.init(transition: next, cause: "'\(event)'"))
            }
        }
        for timer in found.timers {
            guard isCertain(timer.transition) else { return nil }
            let id = draft.states[Int(timer.state)].id
            let place = timer.state == 0 ? "the machine" : "'\(id)'"
            result.links.append(
                .init(transition: timer.transition, cause: "the timer of \(place)"))
        }
        return result
    }

    /// Where a transition leads, and what it causes; nil if that depends on more.
    ///
    /// - Parameter start: The atomic state in which the machine is, if that is known.
    private mutating func taken(
        _ index: Int32, in start: Int32?
    ) -> (state: Int32, causes: ChartCauses.Causes)? {
        guard isCertain(index), let state = state(after: draft.transitions[Int(index)]),
            let found = causes.of(index, from: start, to: state)
        else { return nil }
        return (state, found)
    }

    private func isCertain(_ index: Int32) -> Bool {
        guard let condition = draft.transitions[Int(index)].condition else { return true }
        if case .bool(true)? = condition.program?.constant { return true }
        return false
    }

    /// The atomic state in which the machine rests after a transition; nil if that depends on more.
    private func state(after transition: Transition) -> Int32? {
        var state = transition.source
        if let target = transition.targets.first {
            guard transition.targets.count == 1 else { return nil }
            state = target
            while draft.states[Int(state)].kind == .compound {
                let initial = draft.states[Int(state)].initial
                guard initial.targets.count == 1, initial.actions.isEmpty else { return nil }
                state = initial.targets[0]
            }
        }
        guard draft.states[Int(state)].kind == .atomic else { return nil }
        var around = state
        while around >= 0 {
            let node = draft.states[Int(around)]
            guard node.kind != .parallel, node.always.isEmpty else { return nil }
            around = node.parent
        }
        return state
    }

    private enum Reaction {
        case none
        /// It depends on more.
        case unclear
        case transition(Int32)
    }

    /// What an event does in an atomic state.
    private mutating func reaction(to event: String, in state: Int32) -> Reaction {
        let match = matches[event] ?? draft.descriptors.match(event)
        matches[event] = match
        var index = state
        while index >= 0 {
            if causes.isDeferred(match, in: index) { return .unclear }
            if let found = draft.states[Int(index)].on.next(after: -1, match) {
                return isCertain(found) ? .transition(found) : .unclear
            }
            index = draft.states[Int(index)].parent
        }
        return .none
    }
}
