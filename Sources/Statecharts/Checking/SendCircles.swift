import CEL

/// Finds machines that keep themselves busy for ever: an event whose transition sends the machine
/// an event at once, whose transition does the same, and so round in a circle. Each is a step of
/// its own, so no bound of a step ends it.
///
/// Only what happens in any case is followed: transitions without a guard, one send outside of
/// conditions and loops, and states outside of parallel ones.
struct SendCircles {
    /// A circle.
    struct Circle {
        /// A transition of it.
        let transition: Int32
        /// The events in their order; the first one is the last one, too.
        let events: [String]
    }

    private let draft: ChartDraft

    init(_ draft: ChartDraft) { self.draft = draft }

    /// All circles, each once.
    func find() -> [Circle] {
        var isVisited = Array(repeating: false, count: draft.transitions.count)
        var circles: [Circle] = []
        for index in draft.transitions.indices where !isVisited[index] {
            var way: [(transition: Int32, event: String)] = []
            var current: Int32? = Int32(index)
            while let number = current, !isVisited[Int(number)] {
                isVisited[Int(number)] = true
                guard let (next, event) = next(after: draft.transitions[Int(number)]) else {
                    current = nil
                    break
                }
                way.append((number, event))
                current = next
            }
            guard let current, let start = way.firstIndex(where: { $0.transition == current })
            else { continue }
            // The event that leads to the first transition is the one that the last one sends.
            let events = [way[way.count - 1].event] + way[start...].map(\.event)
            circles.append(Circle(transition: current, events: events))
        }
        return circles
    }

    /// The transition that follows in any case, and the event that leads to it.
    private func next(after transition: Transition) -> (transition: Int32, event: String)? {
        guard transition.condition == nil, let state = state(after: transition),
            let event = onlySend(of: transition, to: state),
            let next = handler(of: event, in: state)
        else { return nil }
        return (next, event)
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

    /// The event that a transition sends to the machine at once, if it sends exactly one.
    private func onlySend(of transition: Transition, to state: Int32) -> String? {
        var found: String?
        guard add(transition.actions, to: &found) else { return nil }
        guard transition.domain != Transition.noDomain else { return found }
        var entered = state
        while entered != transition.domain, entered >= 0 {
            for block in draft.states[Int(entered)].entry {
                guard add(block, to: &found) else { return nil }
            }
            entered = draft.states[Int(entered)].parent
        }
        var left = transition.source
        while left != transition.domain, left >= 0 {
            for block in draft.states[Int(left)].exit {
                guard add(block, to: &found) else { return nil }
            }
            left = draft.states[Int(left)].parent
        }
        return found
    }

    /// Adds what a block sends; false if that depends on more, or isn't one event for the machine
    /// at once.
    private func add(_ actions: [Action], to found: inout String?) -> Bool {
        for action in actions {
            switch action.kind {
            case .assign, .emit, .log: continue
            case .send(let send):
                guard found == nil, send.via == nil, send.delay == nil,
                    send.target == nil || send.target?.text == "self",
                    let type = send.event.type.text
                else { return false }
                found = type
            case .raise, .cancel, .choose, .foreach: return false
            }
        }
        return true
    }

    /// The transition that takes an event in an atomic state in any case.
    private func handler(of event: String, in state: Int32) -> Int32? {
        let match = draft.descriptors.match(event)
        var index = state
        while index >= 0 {
            let node = draft.states[Int(index)]
            guard !node.deferred.contains(where: match.contains) else { return nil }
            if let found = node.on.next(after: -1, match) {
                return draft.transitions[Int(found)].condition == nil ? found : nil
            }
            index = node.parent
        }
        return nil
    }
}
