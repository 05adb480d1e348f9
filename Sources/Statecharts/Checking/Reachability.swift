/// The states that can be entered, found from state to state.
struct Reachability {
    private let states: [StateNode]
    private var isReached: [Bool]
    /// The states whose defaults were entered too.
    private var isEntered: [Bool]
    private var open: [Int32] = []

    init(_ states: [StateNode]) {
        self.states = states
        isReached = Array(repeating: false, count: states.count)
        isEntered = isReached
    }

    /// The states of a machine that can be entered.
    static func all(of draft: ChartDraft) -> Reachability {
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
        return reached
    }

    func contains(_ state: Int32) -> Bool { isReached[Int(state)] }

    /// A state that was reached and not visited yet.
    mutating func next() -> Int32? { open.popLast() }

    /// Marks a state, the states around it, and those that are entered with it by default.
    mutating func enter(_ state: Int32) {
        var entering = [state]
        while let index = entering.popLast() {
            guard !isEntered[Int(index)] else { continue }
            isEntered[Int(index)] = true
            reach(index)
            let node = states[Int(index)]
            entering += node.initial.targets
            if node.kind == .parallel { entering += node.children }
            if node.parent >= 0 { addParent(of: node, &entering) }
        }
    }

    private mutating func reach(_ index: Int32) {
        guard !isReached[Int(index)] else { return }
        isReached[Int(index)] = true
        open.append(index)
    }

    /// A state is entered through the ones around it; the default of a compound state isn't entered
    /// with another child.
    private mutating func addParent(of node: StateNode, _ entering: inout [Int32]) {
        var parent = node.parent
        while parent >= 0, !isReached[Int(parent)] {
            reach(parent)
            let around = states[Int(parent)]
            if around.kind == .parallel { entering += around.children }
            parent = around.parent
        }
    }
}
