import Transducers

/// The bound that ended an exploration.
public enum ExplorationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There are states more than this many events away from the initial one.
    case depthMaxReached(Int, states: Int, example: String)
    /// There are more states than this.
    case statesMaxReached(Int, example: String)

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .depthMaxReached(let max, let states, let example):
            "there are states more than \(max) events away from the initial one, after "
                + "\(states) states: is the machine finite? If so, raise depthMax. Such a "
                + "state: \(example)"
        case .statesMaxReached(let max, let example):
            "there are more than \(max) states: is the machine finite? If so, raise statesMax. "
                + "The next: \(example)"
        }
    }
}

/// Walks every (state, event) pair that a machine can reach from a state.
///
/// Each event is applied with the immediate events it causes, as `run` does. Other effects don't
/// run, so the events that they would send belong in `events`.
///
/// - Parameters:
///   - machine: The machine; a finite one.
///   - initialState: The state in which the walk begins.
///   - states: All expected states, for ``Exploration/unreachable``.
///   - events: The events to try, in this order.
///   - depthMax: The greatest distance of a state from the initial one, in events.
///   - statesMax: The greatest number of states.
///   - isUnhandled: Whether a transition means that the event wasn't handled, for machines that
///     don't refuse: by its output, or because the state is unchanged.
/// - Throws: ``ExplorationError`` at a bound; a machine with a counter reaches one.
public func explore<Machine: RunnableTransducer>(
    _ machine: Machine.Type, from initialState: Machine.State, states: [Machine.State] = [],
    events: [Machine.Event], depthMax: Int = 1_000, statesMax: Int = 100_000,
    isUnhandled: (Exploration<Machine>.Transition) -> Bool = { _ in false }
) throws(ExplorationError) -> Exploration<Machine> where Machine.State: Hashable {
    var result = Exploration<Machine>(initialState: initialState)
    var known: Set = [initialState]
    var front = [initialState]
    var depth = 0
    while !front.isEmpty {
        var next: [Machine.State] = []
        for state in front {
            for transition in result.tryAll(events, in: state, isUnhandled: isUnhandled) {
                guard known.insert(transition.to).inserted else { continue }
                let example = ValueText.label(transition.to)
                guard depth < depthMax else {
                    throw .depthMaxReached(
                        depthMax, states: result.reachable.count, example: example)
                }
                guard known.count <= statesMax else {
                    throw .statesMaxReached(statesMax, example: example)
                }
                result.reachable.append(transition.to)
                result.origins[transition.to] = (state, transition.event)
                next.append(transition.to)
            }
        }
        front = next
        depth += 1
    }
    result.unreachable = states.filter { !known.contains($0) }
    return result
}

extension Exploration {
    /// Tries all events in a state.
    ///
    /// - Returns: The transitions.
    fileprivate mutating func tryAll(
        _ events: [Machine.Event], in state: Machine.State,
        isUnhandled: (Transition) -> Bool
    ) -> ArraySlice<Transition> {
        let start = transitions.endIndex
        if state.isTerminal {
            terminal.append(state)
            return []
        }
        for event in events {
            do {
                let step = try Machine.wholeStep(of: event, in: state)
                let transition = Transition(
                    from: state, event: event, to: step.state, outputs: step.outputs)
                if isUnhandled(transition) {
                    unhandled.append(
                        Unhandled(
                            state: state, event: event, reason: "said to be unhandled",
                            isRejection: false))
                }
                transitions.append(transition)
            } catch {
                let rejection = error as? Rejection
                unhandled.append(
                    Unhandled(
                        state: state, event: event, reason: rejection?.reason ?? "\(error)",
                        isRejection: rejection != nil))
            }
        }
        let found = transitions[start...]
        if found.allSatisfy({ $0.to == state }) { deadEnds.append(state) }
        return found
    }
}

// MARK: - Events and states that list themselves

/// Walks every (state, event) pair that a machine can reach, with all of its events.
///
/// - Parameters: As those of the other `explore`.
/// - Throws: ``ExplorationError`` at a bound.
public func explore<Machine: RunnableTransducer>(
    _ machine: Machine.Type, from initialState: Machine.State, states: [Machine.State] = [],
    depthMax: Int = 1_000, statesMax: Int = 100_000,
    isUnhandled: (Exploration<Machine>.Transition) -> Bool = { _ in false }
) throws(ExplorationError) -> Exploration<Machine>
where Machine.State: Hashable, Machine.Event: CaseIterable {
    try explore(
        machine, from: initialState, states: states, events: Array(Machine.Event.allCases),
        depthMax: depthMax, statesMax: statesMax, isUnhandled: isUnhandled)
}

/// Walks every (state, event) pair that a machine can reach from its initial state, and finds its
/// unreachable states.
///
/// - Parameters: As those of the other `explore`.
/// - Throws: ``ExplorationError`` at a bound.
public func explore<Machine: RunnableTransducer & InitialState>(
    _ machine: Machine.Type, depthMax: Int = 1_000, statesMax: Int = 100_000,
    isUnhandled: (Exploration<Machine>.Transition) -> Bool = { _ in false }
) throws(ExplorationError) -> Exploration<Machine>
where Machine.State: Hashable & CaseIterable, Machine.Event: CaseIterable {
    try explore(
        machine, from: Machine.initialState, states: Array(Machine.State.allCases),
        events: Array(Machine.Event.allCases), depthMax: depthMax, statesMax: statesMax,
        isUnhandled: isUnhandled)
}
