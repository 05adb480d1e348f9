/// Relations of states by their numbers, which are in document order.
extension Array where Element == StateNode {
    /// Whether a state lies within another one (SCXML appendix D, `isDescendant`).
    func isDescendant(_ state: Int32, of other: Int32) -> Bool {
        other < 0 || state > other && state <= self[Int(other)].last
    }

    /// The innermost state that is one of both or has both within; -1 for the document.
    func commonAncestor(_ one: Int32, _ other: Int32) -> Int32 {
        var candidate = one
        while candidate >= 0, candidate != other, !isDescendant(other, of: candidate) {
            candidate = self[Int(candidate)].parent
        }
        return candidate
    }

    /// Whether two states lie in different regions of a parallel state, so that they can be active
    /// together and neither is around the other. A history state stands for states anywhere within
    /// the one around it.
    func areInDifferentRegions(_ one: Int32, _ other: Int32) -> Bool {
        let (one, other) = (reach(of: one), reach(of: other))
        let common = commonAncestor(one, other)
        return common != one && common != other && common >= 0
            && self[Int(common)].kind == .parallel
    }

    private func reach(of state: Int32) -> Int32 {
        self[Int(state)].isHistory ? self[Int(state)].parent : state
    }

    /// Whether a history state can stand for states, which are in document order: at least one
    /// within the state around it, and of several all in different regions. In this order the
    /// neighbors decide for all.
    func canRemember(_ recorded: [Int32], by history: Int32) -> Bool {
        let parent = self[Int(history)].parent
        return !recorded.isEmpty
            && recorded.allSatisfy { isDescendant($0, of: parent) && !self[Int($0)].isHistory }
            && zip(recorded, recorded.dropFirst()).allSatisfy { areInDifferentRegions($0, $1) }
    }

    /// The state whose active descendants a transition leaves (SCXML appendix D,
    /// `getTransitionDomain` and `findLCCA`).
    ///
    /// - Parameter targets: The targets, history states replaced by the states they stand for.
    func domain(of transition: Transition, targets: [Int32]) -> Int32 {
        guard !targets.isEmpty else { return Transition.noDomain }
        let source = self[Int(transition.source)]
        if !transition.reenters, source.kind == .compound,
            targets.allSatisfy({ isDescendant($0, of: transition.source) })
        {
            return transition.source
        }
        var ancestor = source.parent
        while ancestor >= 0 {
            if self[Int(ancestor)].kind == .compound,
                targets.allSatisfy({ isDescendant($0, of: ancestor) })
            {
                return ancestor
            }
            ancestor = self[Int(ancestor)].parent
        }
        return Transition.document
    }
}
