import CEL

/// The events that transitions cause for the machine itself without waiting, as long as that
/// doesn't depend on values. What a state or the actions of a transition cause is looked at once,
/// however often it is entered or taken.
struct ChartCauses {
    /// Events and timers, in their order.
    struct Causes: Equatable {
        var raised: [String] = []
        var sent: [String] = []
        /// Timers that end at once: their states, and the transitions that they then take.
        var timers: [Timer] = []

        var count: Int { raised.count + sent.count + timers.count }

        /// Adds others; false if that are too many to look at.
        mutating func add(_ other: Causes) -> Bool {
            raised += other.raised
            sent += other.sent
            timers += other.timers
            return count <= ChartLimits.causesMax
        }
    }

    struct Timer: Equatable {
        let state: Int32
        let transition: Int32
    }

    /// What is known of a state.
    private struct Known {
        /// Nil if it depends on more.
        let entry: Causes?
        let exit: Causes?
        let deferred: Set<Int32>
    }

    private let draft: ChartDraft
    private var known: [Int32: Known] = [:]
    /// What is known of the actions of a transition.
    private var knownActions: [Int32: Causes?] = [:]
    /// Whether each state has states within that do something as they are left.
    private let hasExitsWithin: [Bool]

    init(_ draft: ChartDraft) {
        self.draft = draft
        var hasExits = Array(repeating: false, count: draft.states.count)
        // A state comes after the one around it.
        for (index, state) in draft.states.enumerated().reversed() where state.parent >= 0 {
            if hasExits[index] || !state.exit.isEmpty { hasExits[Int(state.parent)] = true }
        }
        hasExitsWithin = hasExits
    }

    /// What a transition causes; nil if that depends on more.
    ///
    /// - Parameters:
    ///   - index: Its number.
    ///   - start: The atomic state in which the machine is, if that is known.
    ///   - state: The one to which it leads.
    mutating func of(_ index: Int32, from start: Int32?, to state: Int32) -> Causes? {
        let transition = draft.transitions[Int(index)]
        guard let done = actions(of: index) else { return nil }
        guard transition.domain != Transition.noDomain else { return done }
        guard start != nil || !hasExitsWithin[Int(transition.source)] else { return nil }
        var found = Causes()
        for left in states(from: start ?? transition.source, below: transition.domain) {
            guard let more = known(left).exit, found.add(more) else { return nil }
        }
        guard found.add(done) else { return nil }
        for entered in states(from: state, below: transition.domain).reversed() {
            guard let more = known(entered).entry, found.add(more) else { return nil }
        }
        return found
    }

    private mutating func actions(of index: Int32) -> Causes? {
        if let found = knownActions[index] { return found }
        let found = Self.of(draft.transitions[Int(index)].actions)
        knownActions[index] = .some(found)
        return found
    }

    /// A state and those around it, up to a domain.
    private func states(from state: Int32, below domain: Int32) -> [Int32] {
        var found: [Int32] = []
        var index = state
        while index != domain, index >= 0 {
            found.append(index)
            index = draft.states[Int(index)].parent
        }
        return found
    }

    /// Whether a state defers an event.
    mutating func isDeferred(_ match: DescriptorTable.Match, in state: Int32) -> Bool {
        guard !draft.states[Int(state)].deferred.isEmpty else { return false }
        let deferred = known(state).deferred
        return deferred.contains(match.exact) || deferred.contains(DescriptorTable.everything)
            || match.prefixes.contains { deferred.contains($0) }
    }

    private mutating func known(_ state: Int32) -> Known {
        if let found = known[state] { return found }
        let node = draft.states[Int(state)]
        let found = Known(
            entry: entry(of: node, state), exit: Self.of(blocks: node.exit),
            deferred: Set(node.deferred))
        known[state] = found
        return found
    }

    private func entry(of node: StateNode, _ state: Int32) -> Causes? {
        guard var found = Self.of(blocks: node.entry) else { return nil }
        for timer in node.timers {
            guard Self.isAtOnce(timer.delay), let first = timer.transitions.first else { continue }
            guard found.count < ChartLimits.causesMax else { return nil }
            found.timers.append(Timer(state: state, transition: first))
        }
        return found
    }

    private static func of(blocks: [[Action]]) -> Causes? {
        var found = Causes()
        for block in blocks {
            guard let more = of(block), found.add(more) else { return nil }
        }
        return found
    }

    /// What actions cause; nil if that depends on more, or is too much.
    private static func of(_ actions: [Action]) -> Causes? {
        var found = Causes()
        for action in actions {
            guard let more = of(action), found.add(more) else { return nil }
        }
        return found
    }

    private static func of(_ action: Action) -> Causes? {
        switch action.kind {
        case .assign, .emit, .log: Causes()
        case .raise(let event): event.type.text.map { Causes(raised: [$0]) }
        case .send(let send): of(send)
        case .choose(let branches): of(branches)
        // How often it is done isn't known.
        case .foreach(let loop): of(loop.actions).flatMap { $0.count == 0 ? $0 : nil }
        // It may cancel what was sent before.
        case .cancel: nil
        }
    }

    /// A send to others, or with a delay, causes nothing here.
    private static func of(_ send: Action.SendTemplate) -> Causes? {
        guard send.via == nil, send.delay.map(isAtOnce) ?? true else { return Causes() }
        switch send.target.map({ $0.text.flatMap(Recipient.init) }) ?? .own {
        case .own: return send.event.type.text.map { Causes(sent: [$0]) }
        case .internal: return send.event.type.text.map { Causes(raised: [$0]) }
        case .parent, .child, .address, nil: return Causes()
        }
    }

    /// Branches that all cause the same.
    private static func of(_ branches: [Action.Branch]) -> Causes? {
        var found: Causes?
        for branch in branches {
            guard let causes = of(branch.actions), found == nil || found == causes else {
                return nil
            }
            found = causes
            if branch.condition == nil { return found }
        }
        // Without an `else`, perhaps no branch is done.
        return found == nil || found == Causes() ? Causes() : nil
    }

    /// A delay of no time that isn't computed.
    private static func isAtOnce(_ delay: Literal) -> Bool {
        guard case .constant(let value) = delay else { return false }
        return ContextValue.milliseconds(value) == 0
    }
}
