/// Pairs of transitions in different regions of a parallel state that the same event enables, where
/// one leaves the parallel state. Only one of them is taken (SCXML appendix D,
/// `removeConflictingTransitions`), which the author of either may not expect.
///
/// Two transitions with guards are no such pair: guards often exclude each other.
struct RegionConflicts {
    /// The name under which transitions without an event are found.
    private static let eventless = ""

    /// Transitions with targets, sorted by their sources.
    private struct Candidates {
        var unguarded: [Int32] = []
        var guarded: [Int32] = []
    }

    private let draft: ChartDraft
    /// The transitions by the descriptors that they are written with.
    private var written: [String: Candidates] = [:]
    /// The transitions by the descriptors with `*` that take their events, too.
    private var covered: [String: Candidates] = [:]

    /// The conflicts of a definition without errors, by the transition that isn't taken: at most
    /// one for each, in the order of transitions.
    ///
    /// - Returns: The transition that isn't taken, the one that is, and the parallel state.
    static func find(_ draft: ChartDraft) -> [(loser: Int32, winner: Int32, parallel: Int32)] {
        guard draft.states.contains(where: { $0.kind == .parallel }) else { return [] }
        var conflicts = RegionConflicts(draft)
        return conflicts.find()
    }

    private init(_ draft: ChartDraft) { self.draft = draft }

    private mutating func find() -> [(loser: Int32, winner: Int32, parallel: Int32)] {
        let all = draft.states.indices.flatMap {
            index -> [(transition: Int32, isEventless: Bool)] in
            let state = draft.states[index]
            let taken = Set(state.on.entries.map(\.transition)).sorted()
            return taken.map { ($0, false) } + state.always.map { ($0, true) }
        }.filter { !draft.transitions[Int($0.transition)].targets.isEmpty }
        let leaving = all.filter { !parallels(leftBy: $0.transition).isEmpty }
        guard !leaving.isEmpty else { return [] }
        index(all, wildcards: Set(leaving.flatMap { names(of: $0).filter { $0.hasSuffix("*") } }))
        var winners: [Int32: (winner: Int32, parallel: Int32)] = [:]
        for one in leaving {
            let source = draft.transitions[Int(one.transition)].source
            for (parallel, region) in parallels(leftBy: one.transition) {
                for other in others(than: one, in: parallel, without: region) {
                    let isFirst = source < draft.transitions[Int(other)].source
                    let (winner, loser) =
                        isFirst ? (one.transition, other) : (other, one.transition)
                    if winners[loser] == nil { winners[loser] = (winner, parallel) }
                }
            }
        }
        return winners.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value.winner, $0.value.parallel)
        }
    }

    private func names(of one: (transition: Int32, isEventless: Bool)) -> [String] {
        one.isEventless ? [Self.eventless] : draft.transitions[Int(one.transition)].descriptors
    }

    /// The parallel states around a transition's source that it leaves, and the regions of the
    /// source, innermost first.
    private func parallels(leftBy transition: Int32) -> [(parallel: Int32, region: Int32)] {
        let domain = domain(of: draft.transitions[Int(transition)])
        var found: [(Int32, Int32)] = []
        var region = draft.transitions[Int(transition)].source
        var parent = draft.states[Int(region)].parent
        while parent >= 0, parent != domain {
            if draft.states[Int(parent)].kind == .parallel { found.append((parent, region)) }
            region = parent
            parent = draft.states[Int(parent)].parent
        }
        return found
    }

    /// The domain, where a history state stands for the state around it.
    private func domain(of transition: Transition) -> Int32 {
        guard transition.targetsHistory else { return transition.domain }
        return draft.states.domain(
            of: transition,
            targets: transition.targets.map { target in
                let state = draft.states[Int(target)]
                return state.isHistory ? state.parent : target
            })
    }

    private mutating func index(
        _ all: [(transition: Int32, isEventless: Bool)], wildcards: Set<String>
    ) {
        for one in all {
            let isGuarded = draft.transitions[Int(one.transition)].condition != nil
            let list = isGuarded ? \Candidates.guarded : \Candidates.unguarded
            for name in Set(names(of: one)) {
                written[name, default: Candidates()][keyPath: list].append(one.transition)
                for wildcard in Self.wildcards(covering: name)
                where wildcard != name && wildcards.contains(wildcard) {
                    covered[wildcard, default: Candidates()][keyPath: list].append(one.transition)
                }
            }
        }
    }

    /// The descriptors with `*` that take all events of a descriptor.
    private static func wildcards(covering descriptor: String) -> [String] {
        if descriptor == eventless || descriptor == "*" { return [] }
        var name = descriptor.hasSuffix(".*") ? descriptor.dropLast(2) : descriptor[...]
        var found = ["*", name + ".*"]
        while let dot = name.lastIndex(of: ".") {
            name = name[..<dot]
            found.append(name + ".*")
        }
        return found
    }

    /// The transitions in other regions of a parallel state that the same event enables.
    private func others(
        than one: (transition: Int32, isEventless: Bool), in parallel: Int32,
        without region: Int32
    ) -> [Int32] {
        let isGuarded = draft.transitions[Int(one.transition)].condition != nil
        var found: [Int32] = []
        for name in names(of: one) {
            let lists =
                [written[name], covered[name]]
                + Self.wildcards(covering: name).filter { $0 != name }.map { written[$0] }
            for list in lists.compactMap({ $0 }) {
                for candidates in isGuarded ? [list.unguarded] : [list.unguarded, list.guarded] {
                    let near =
                        few(candidates, from: parallel + 1, to: region - 1)
                        + few(
                            candidates, from: draft.states[Int(region)].last + 1,
                            to: draft.states[Int(parallel)].last)
                    found += near.filter { !isSame($0, one.transition) }
                }
            }
        }
        return found
    }

    /// The first transitions whose sources are in a range.
    private func few(_ candidates: [Int32], from first: Int32, to last: Int32) -> [Int32] {
        var (low, high) = (0, candidates.count)
        while low < high {
            let middle = (low + high) / 2
            if draft.transitions[Int(candidates[middle])].source < first {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return candidates[low...].prefix(ChartLimits.conflictsLookedAtMax).filter {
            draft.transitions[Int($0)].source <= last
        }
    }

    /// Whether it doesn't matter which of two transitions is taken.
    private func isSame(_ one: Int32, _ other: Int32) -> Bool {
        let (one, other) = (draft.transitions[Int(one)], draft.transitions[Int(other)])
        return one.targets == other.targets && one.actions.isEmpty && other.actions.isEmpty
    }
}
