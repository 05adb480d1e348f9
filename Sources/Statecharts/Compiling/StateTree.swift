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
